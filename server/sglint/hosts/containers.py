"""``docker run`` and ``docker exec``: options before the image, then the words that run inside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import EnvVar, Evidence, Place, Word
from .evidence import docker_gpus, mapped_of
from .program_words import Program, text_of
from .wrappers import env_var

# Options of `run` that take no value; every other option without `=` takes the next word.
_BARE = frozenset(
    """
    -d --detach -i --interactive -t --tty --rm --privileged -P --publish-all --init --read-only --no-healthcheck
    --oom-kill-disable --sig-proxy --disable-content-trust -q --quiet --help --replace --tls-verify
    --no-hosts --no-hostname --systemd --env-host --http-proxy
    """.split()
)
_CLUSTER = re.compile(r"-[ditPq]+$")


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
        if text is None or not text.startswith("-"):
            break
        if text == "--":
            index += 1
            break
        name, value, used = _option(words, index)
        index += used
        if value is None:
            continue
        if name in ("-e", "--env"):
            env.append(_variable(value))
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
        text = words[index].text
        if text is None or not text.startswith("-"):
            break
        name, value, used = _option(words, index)
        index += used
        if name in ("-e", "--env") and value is not None:
            env.append(_variable(value))
    return before.prefix(words[index + 1 :], env=tuple(env), fresh_env=True, via=(*before.via, via))


def _option(words: Sequence[Word], index: int) -> tuple[str, Word | None, int]:
    """Name, value and number of words of the option at ``index``."""
    word = words[index]
    text = text_of(word)
    if text.startswith("--") and "=" in text:
        name = text.partition("=")[0]
        return name, _tail(word, len(name) + 1), 1
    if text in _BARE or _CLUSTER.match(text):
        return text, None, 1
    if not text.startswith("--") and len(text) > 2 and text[1] in "epvwuhlmc":
        return text[:2], _tail(word, 2), 1
    return text, words[index + 1] if index + 1 < len(words) else None, 2


def _tail(word: Word, start: int) -> Word:
    mapped = mapped_of(word).slice(start)
    return Word(mapped.text, mapped.span(), mapped, word.presence, path=word.path)


def _variable(word: Word) -> EnvVar:
    text = text_of(word)
    equals = text.find("=")
    if equals < 0:
        return EnvVar(text, None, Place(word.span, word.path))
    return env_var(word, equals)
