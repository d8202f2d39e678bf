"""Which program a command line runs, behind the words that only prepare it.

``recognise`` walks from the first word through wrappers (``exec``, ``env``, ``numactl``, ``docker run``, ``ssh``,
``srun`` ...) to the program that is started at last: an SGLang server, a shell with a script of its own, or
something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from ..launch.model import Word
from ..patterns import lazy
from ..text import Span
from .carried import carried, module_at
from .containers import container_exec, container_run
from .gate import launchers
from .program_words import Program, basename, give_up, server, text_of
from .wrappers import WRAPPERS, after_options, environment

__all__ = ["Program", "as_launcher", "has_server_flags", "mentions_launcher", "recognise"]

MODULES = {
    "sglang.launch_server": "launch_server",
    "sglang.srt.server": "launch_server",
    "sglang.srt.entrypoints.http_server": "launch_server",
    "sglang_router.launch_server": "sglang_router.launch_server",
    "dynamo.sglang": "dynamo.sglang",
    "dynamo.sglang.worker": "dynamo.sglang",
    "dynamo.sglang.decode_worker": "dynamo.sglang",
}
"""Modules that start a server, and how the launch is called."""

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "ash"))
"""Programs that run scripts of the shell language."""

_UNCARRIED = frozenset(("container", "kill", "grep", "echo", "router", "bench", "vllm", "python -c"))
"""Programs that are not started for the sake of the command line they are given."""

_MODULE_RUNNERS = frozenset("coverage torchrun accelerate kernprof memray viztracer scalene".split())
"""Programs that run a Python module in their own way: ``coverage run -m MODULE``."""

_MAX_WRAPPERS = 40
"""A command has a handful of wrappers; a longer chain is no command line."""

_MAX_PASSED = 10
"""Stretches of unknown words between wrappers that are passed over."""

_ROUTERS = frozenset(("sglang-router", "sgl-model-gateway", "smg", "amg"))
_MENTION = lazy(
    r"sglang[./]launch_server|sglang\s+serve|sglang_router[./]\w+|dynamo\.sglang|sglang-router|sgl-model-gateway"
    r"|sgl_jax\.\w+|sglang[./]bench_\w+"
)
_OTHER_MODULES = (
    (lazy(r"sglang_router(\..*)?$|smg(\..*)?$"), "router"),
    (lazy(r"sglang\.bench_\w+"), "bench"),
    (lazy(r"sglang(\..*)?$"), "sglang tool"),
    (lazy(r"sgl_jax\..*"), "sgl_jax"),
    (lazy(r"dynamo\.frontend(\..*)?$"), "dynamo frontend"),
    (lazy(r"dynamo\..*"), "dynamo"),
    (lazy(r"vllm(\..*)?$"), "vllm"),
)
_OTHER_COMMANDS = {
    **dict.fromkeys(_ROUTERS, "router"),
    **dict.fromkeys(("pkill", "kill", "killall"), "kill"),
    **dict.fromkeys(("pgrep", "grep", "egrep", "fgrep", "rg", "ag", "ps"), "grep"),
    **dict.fromkeys(("echo", "printf", "cat", "log", "logger"), "echo"),
    "mooncake_master": "mooncake",
    "vllm": "vllm",
    "ray": "ray",
}

SERVER_ONLY_FLAGS = frozenset(
    "--" + name
    for name in """
    model-path mem-fraction-static tp-size dp-size pp-size ep-size disable-radix-cache chunked-prefill-size
    max-running-requests max-total-tokens max-prefill-tokens cuda-graph-max-bs cuda-graph-bs disable-cuda-graph
    cuda-graph-max-bs-decode cuda-graph-max-bs-prefill cuda-graph-bs-decode schedule-policy
    schedule-conservativeness disable-overlap-schedule enable-dp-attention enable-dp-lm-head moe-a2a-backend
    moe-runner-backend disaggregation-mode disaggregation-transfer-backend disaggregation-ib-device
    disaggregation-bootstrap-port speculative-algorithm speculative-num-steps speculative-eagle-topk
    speculative-num-draft-tokens speculative-draft-model-path dist-init-addr node-rank base-gpu-id
    prefill-attention-backend decode-attention-backend enable-unified-memory enable-page-major-kv-layout
    swa-full-tokens-ratio mamba-full-memory-ratio enable-hierarchical-cache hicache-ratio hicache-size
    grammar-backend sampling-backend enable-torch-compile torch-compile-max-bs json-model-override-args
    enable-mixed-chunk num-continuous-decode-steps triton-attention-num-kv-splits enable-cache-report
    skip-server-warmup watchdog-timeout deepep-mode enable-eplb ep-num-redundant-experts enable-two-batch-overlap
    """.split()
)
"""Flags that no other widely used server has; two of them tell an SGLang launch without a launcher word."""


def has_server_flags(words: Sequence[Word]) -> bool:
    """Whether words without a launcher are an SGLang server's: at least two flags that only SGLang has."""
    flags = {word.text.partition("=")[0] for word in words if word.text}
    return len(flags & SERVER_ONLY_FLAGS) >= 2


def mentions_launcher(text: str) -> tuple[int, int] | None:
    """Where ``text`` first names something that starts SGLang: (start, end); None when it does not."""
    found = _MENTION.search(text)
    if found is not None:
        return found.span()
    return next(((at, at + len(name)) for name in launchers() if (at := text.find(name)) >= 0), None)


def recognise(words: Sequence[Word]) -> Program | None:
    """The program that ``words`` start at last; None when there is none or it cannot be told."""
    return _recognise(Program("prefix", "", None, tuple(words)), 0)


def _recognise(program: Program | None, passed: int) -> Program | None:
    """As :func:`recognise`, behind wrappers and ``passed`` stretches of words that are not known."""
    for _ in range(_MAX_WRAPPERS):
        if program is None or program.kind != "prefix":
            return as_launcher(program, launchers())
        program = _step(program, passed)
    return None


def as_launcher(program: Program | None, names: Collection[str]) -> Program | None:
    """The program, as a server where it is a script of the user's that hands the server's flags on.

    The script is its launcher's name, so that nobody takes its words for all that the server gets.
    """
    if program is None or not names or program.kind not in ("other", "file"):
        return program
    if program.kind == "file":
        name, span = basename(program.script[0]), program.script[0].span
    else:
        name, span = program.name, program.span or Span(0, 0)
    return server(program, name, span, program.words) if name is not None and name in names else program


def _step(before: Program, passed: int) -> Program | None:
    words = before.words
    if not words:
        # `docker run IMAGE` alone: the image's own entry point.
        return before.becomes("other", "container", None, ()) if before.image else None
    if re.match(r"[A-Za-z_]\w*=", words[0].known_prefix):
        return environment(before, words)
    name = basename(words[0])
    if name is None:
        return _behind_unknown(before, passed)
    if before.image is not None and name.startswith("-"):
        return _entrypoint_flags(before)
    if name in SHELLS:
        return _shell(before, name)
    found: Program | None
    if re.fullmatch(r"python[\d.]*|pypy[\d.]*", name):
        found = _python(before, name)
    elif name in WRAPPERS:
        found = WRAPPERS[name](before, words)
    elif name in ("docker", "podman", "nerdctl", "docker-compose", "podman-compose"):
        found = _container_tool(before, name)
    else:
        found = _command(before, name)
    return _carried(before, found, passed)


def _carried(before: Program, found: Program | None, passed: int) -> Program | None:
    """What a program that is none we know is given to run, where that is a server."""
    if found is None or found.kind != "other" or found.name in _UNCARRIED or passed >= _MAX_PASSED:
        return found
    words = before.words
    start = carried(words, MODULES, SHELLS)
    if start is not None:
        inside = _recognise(before.prefix(words[start:]), passed + 1)
        return inside if inside is not None and inside.kind in ("server", "shell") else found
    at = module_at(words, MODULES) if basename(words[0]) in _MODULE_RUNNERS or found.name == "python" else None
    return _module(before, words, at) if at is not None else found


def _behind_unknown(before: Program, passed: int) -> Program | None:
    """An unknown first word: the interpreter in a variable, or a hole with wrappers."""
    known = next((index for index, word in enumerate(before.words) if basename(word) is not None), None)
    if known is None or passed >= _MAX_PASSED:
        return None
    words = before.words[known - 1 :]
    flag = next((index for index, word in enumerate(words[:6]) if word.text == "-m"), None)
    if flag is not None and all(not word.text or word.text.startswith("-") for word in words[1:flag]):
        found = _module(before, words, flag + 1)
        return found if found and found.kind == "server" else None
    rest = _recognise(before.prefix(words[1:]), passed + 1)
    return rest if rest is not None and rest.kind in ("server", "shell") else None


def _entrypoint_flags(before: Program) -> Program | None:
    """An image's own entry point with flags after it."""
    if before.entrypoint is not None:
        return before.prefix((before.entrypoint, *before.words), entrypoint=None)
    if has_server_flags(before.words):
        return server(before, "none", None, before.words)
    return before.becomes("other", "container", None, before.words)


def _shell(before: Program, name: str) -> Program | None:
    words = before.words
    index = 1
    takes_script = reads_input = False
    while index < len(words):
        text = words[index].text
        if not text or text[0] not in "-+" or text in ("-", "--"):
            break
        if text in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"):
            index += 1
        elif not text.startswith("--"):
            takes_script |= "c" in text[1:]
            reads_input |= "s" in text[1:]
        index += 1
    if index < len(words) and words[index].text in ("-", "--"):
        index += 1
    rest = words[index:]
    if takes_script and rest:
        return before.becomes("shell", name, words[0].span, rest[1:], script=rest[:1])
    if reads_input or not rest:
        return before.becomes("stdin", name, words[0].span, rest)
    # `bash start.sh`: a file that may be known to the caller.
    return before.becomes("file", name, words[0].span, rest[1:], script=rest[:1])


_PYTHON_VALUES = frozenset(("-X", "-W", "--check-hash-based-pycs"))


def _python(before: Program, name: str) -> Program | None:
    words = before.words
    index = 1
    while index < len(words):
        text = words[index].text
        if text is None:
            break
        if text == "-m" or (text.startswith("-m") and not text.startswith("--")):
            if text != "-m":
                return give_up(before, "python", words[index].span)
            return _module(before, words, index + 1)
        if text == "-c":
            return before.becomes("other", "python -c", words[0].span, words[index + 1 :])
        if not text.startswith("-") or text == "-":
            break
        index += 2 if text in _PYTHON_VALUES else 1
    if index >= len(words):
        return before.becomes("stdin", "python", words[0].span, ())
    found = _python_file(before, words, index)
    own = "python" if basename(words[index]) not in launchers() else text_of(words[index])
    return found or give_up(before, own.rpartition("/")[2], words[index].span, words[index + 1 :])


def _module(before: Program, words: Sequence[Word], index: int) -> Program | None:
    if index >= len(words) or words[index].text is None:
        return give_up(before, "python", None)
    module = text_of(words[index])
    if module in ("sglang.cli.main", "sglang") and index + 1 < len(words) and words[index + 1].text == "serve":
        span = words[index].span.hull(words[index + 1].span)
        return server(before, "serve", span, words[index + 2 :])
    if module in MODULES:
        return server(before, MODULES[module], words[index].span, words[index + 1 :])
    if module in launchers():
        return server(before, module, words[index].span, words[index + 1 :])
    for pattern, what in _OTHER_MODULES:
        if pattern.match(module):
            return before.becomes("other", what, words[index].span, words[index + 1 :])
    return give_up(before, "python", words[index].span, words[index + 1 :])


def _python_file(before: Program, words: Sequence[Word], index: int) -> Program | None:
    text = text_of(words[index])
    found = re.search(r"(sglang|sglang_router)/launch_server\.py$", text)
    if found:
        launcher = "launch_server" if found[1] == "sglang" else "sglang_router.launch_server"
        return server(before, launcher, words[index].span_of(*found.span()), words[index + 1 :])
    return None


def _container_tool(before: Program, name: str) -> Program | None:
    words = before.words
    index = after_options(words, 1, ("-H", "--host", "-c", "--context", "--config", "-l", "--log-level"))
    action = words[index].text if index < len(words) else None
    if action == "container" and index + 1 < len(words):
        index += 1
        action = words[index].text
    if action == "compose":
        index = after_options(words, index + 1, ("-f", "--file", "-p", "--project-name", "--profile", "--env-file"))
        action = words[index].text if index < len(words) else None
        if action in ("exec", "run"):
            return container_exec(before, words[index + 1 :], f"{name} compose {action}")
    elif action in ("run", "create"):
        return container_run(before, words[index + 1 :], f"{name} {action}")
    elif action == "exec":
        return container_exec(before, words[index + 1 :], f"{name} exec")
    return give_up(before, name, words[0].span)


def _command(before: Program, name: str) -> Program | None:
    words = before.words
    first = words[0]
    if name == "sglang" and len(words) > 1 and words[1].text == "serve":
        start = len(text_of(first)) - len(name)
        return server(before, "serve", Span(first.span_of(start).start, words[1].span.end), words[2:])
    if name == "launch_server.py":
        return _python_file(before, words, 0) or give_up(before, name, first.span)
    what: str | Literal["other"] = _OTHER_COMMANDS.get(name, name)
    span = first.span
    if name == "vllm" and len(words) > 1 and words[1].text:
        span = span.hull(words[1].span)
    return before.becomes("other", what, span, words[1:])
