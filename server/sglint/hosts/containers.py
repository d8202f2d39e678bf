"""``docker run`` and ``docker exec``: options before the image, then the words that run inside."""

from __future__ import annotations

from collections.abc import Sequence

from ..launch.model import EnvVar, Evidence, Place, Word
from ..patterns import lazy
from .evidence import docker_gpus, mapped_of
from .program_words import Program, tail
from .wrappers import env_var

# Options of `run` and `exec`, also of compose, that take no value; every other option without `=` takes the next word.
_BARE = frozenset(
    """
    -d --detach -i --interactive -t --tty --rm --privileged -P --publish-all --init --read-only --no-healthcheck
    --oom-kill-disable --sig-proxy --disable-content-trust -q --quiet --help --replace --tls-verify
    --no-hosts --no-hostname --systemd --env-host --http-proxy
    -T --no-TTY --no-tty --no-deps --service-ports --use-aliases --build --quiet-pull --quiet-build --remove-orphans
    """.split()
)
_CLUSTER = lazy(r"-[ditPqT]+$")


def container_run(before: Program, words: Sequence[Word], via: str) -> Program | None:
    """``docker run OPTIONS IMAGE WORDS``; the environment inside is what the options give."""
    env: list[EnvVar] = []
    gpus: Evidence | None = None
    entrypoint: Word | None = None
    index = 0
    while index < len(words):
        word = words[index]
        text = word.text
        if text is None and word.many:  # options in a variable
            index += 1
            continue
        if not word.known_prefix.startswith("-"):
            break
        if text == "--":
            index += 1
            break
        name, value, used = _option(words, index)
        index += used
        if value is None:
            continue
        if name in ("-e", "--env"):
            env += _variable(value)
        elif name == "--gpus" and value.text is not None:
            gpus = docker_gpus(mapped_of(value), value.path)
        elif name == "--entrypoint":
            entrypoint = value if value.text else None
    if index >= len(words):
        return None
    inside = before.prefix(
        words[index + 1 :],
        env=tuple(env),
        fresh_env=True,
        image=words[index],
        image_file=False,
        gpu_count=gpus or before.gpu_count,
        via=(*before.via, via),
    )
    if entrypoint is not None:
        return inside.prefix((entrypoint, *inside.words))
    return inside


def container_exec(before: Program, words: Sequence[Word], via: str) -> Program | None:
    """``docker exec OPTIONS CONTAINER WORDS``, ``docker compose run SERVICE WORDS``."""
    env: list[EnvVar] = []
    index = 0
    while index < len(words):
        if words[index].text is None and words[index].many:  # options in a variable
            index += 1
            continue
        if not words[index].known_prefix.startswith("-"):
            break
        name, value, used = _option(words, index)
        index += used
        if name in ("-e", "--env") and value is not None:
            env += _variable(value)
    return before.prefix(words[index + 1 :], env=tuple(env), fresh_env=True, via=(*before.via, via))


def _option(words: Sequence[Word], index: int) -> tuple[str, Word | None, int]:
    """Name, value and number of words of the option at ``index``."""
    word = words[index]
    text = word.known_prefix
    if text.startswith("--") and "=" in text:
        name = text.partition("=")[0]
        return name, tail(word, len(name) + 1), 1
    if text in _BARE or _CLUSTER.match(text):
        return text, None, 1
    if not text.startswith("--") and (len(text) > 2 or word.text is None) and text[1:2] in tuple("epvwuhlmc"):
        return text[:2], tail(word, 2), 1
    return text, words[index + 1] if index + 1 < len(words) else None, 2


def _variable(word: Word) -> list[EnvVar]:
    """What ``-e NAME=value`` sets; nothing where the name is not known."""
    text = word.known_prefix
    equals = text.find("=")
    if equals >= 0:
        return [env_var(word, equals)]
    return [EnvVar(text, None, Place(word.span, word.path))] if word.text else []
