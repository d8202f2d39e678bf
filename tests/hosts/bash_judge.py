"""The real bash as judge: scripts run with stub programs that note their words, and nothing else in reach."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from sglint.launch import Launch, Word

LAUNCHERS = ("sglang.launch_server", "sglang_router.launch_server", "dynamo.sglang")
_NOTE = """#!/bin/bash
printf '%s\\0' "$#" "${0##*/}" "$@" > "$JUDGE_LOG/$$"
"""
_CARRY = """#!/bin/bash
while [ $# -gt 0 ]; do
  case "${1##*/}" in
    python*|sglang|bash|sh|docker|env|nice|numactl|stdbuf|nohup) exec "$@" ;;
  esac
  case "$1" in
    *sglang*\\ *) exec bash -c "$1" ;;
  esac
  shift
done
exec bash
"""
_SPEAK = "#!/bin/bash\necho said\n"
_NOTERS = ("python", "python3", "python3.12", "sglang", "vllm", "sglang-router", "smg", "etcd", "ray")
_CARRIERS = (
    "docker podman ssh srun tmux apptainer uv conda numactl taskset stdbuf sudo nice nohup timeout setsid".split()
)
_SILENT = "pip git pkill pgrep ps curl jq module chmod ts tail".split()
_SPEAKING = ("nvidia-smi", "hostname", "scontrol")
_REAL = ("cat", "tee", "head", "wc", "basename", "dirname", "env", "true", "false", "bash", "sh", "grep", "rm", "mkdir")


def stubs(folder: Path) -> Path:
    """A folder with nothing but stubs and a few harmless tools."""
    place = folder / "stubs"
    place.mkdir()
    for names, text in ((_NOTERS, _NOTE), (_CARRIERS, _CARRY), (_SILENT, "#!/bin/bash\n"), (_SPEAKING, _SPEAK)):
        for name in names:
            (place / name).write_text(text)
            (place / name).chmod(0o755)
    (place / "sleep").write_text("#!/bin/bash\nkill $PPID\n")
    (place / "sleep").chmod(0o755)
    for name in _REAL:
        real = shutil.which(name)
        assert real is not None
        (place / name).symlink_to(real)
    (folder / "prelude").write_text("cd() { return 0; }\nulimit() { return 0; }\ndisown() { return 0; }\n")
    return place


def at_home(text: str, folder: Path) -> str:
    """The script with its absolute programs and files moved into ``folder``."""
    text = re.sub(r"/(?:tmp|var/log)/", f"{folder}/", text)
    return re.sub(r"/(?:opt|usr)/(?:[\w.-]+/)*(python[\d.]*|sglang|podman)(?=[\s\"])", f"{folder}/stubs/\\1", text)


def run(
    text: str, folder: Path, arguments: Sequence[str] = (), given: Mapping[str, str] | None = None
) -> list[list[str]]:
    """The words behind the launcher of every server the script starts, in the order in which they were noted.

    What the script leaves in the background is waited for as well: it holds an end of a pipe.
    """
    # A file for each program: two that run at once would write into each other's words.
    log = Path(tempfile.mkdtemp(dir=folder))
    script = folder / "script.sh"
    script.write_text(text, newline="")
    environment = {
        "PATH": str(folder / "stubs"),
        "HOME": str(folder),
        "JUDGE_LOG": str(log),
        "BASH_ENV": str(folder / "prelude"),
        **(given or {}),
    }
    ended, held = os.pipe()
    with os.fdopen(ended, "rb") as running:
        try:
            subprocess.run(
                ["bash", str(script), *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
                pass_fds=(held,),
            )
        finally:
            os.close(held)
        if not select.select([running], [], [], 20)[0]:
            raise TimeoutError(f"something that the script started is still running: {text}")
    notes = sorted(log.iterdir(), key=lambda note: note.stat().st_mtime_ns)
    found = [argv for note in notes for argv in map(_behind_launcher, _noted(note.read_bytes())) if argv is not None]
    shutil.rmtree(log)
    return found


def _noted(data: bytes) -> list[list[str]]:
    items = data.decode("utf-8", "surrogateescape").split("\0")[:-1]
    found = []
    at = 0
    while at < len(items):
        count = int(items[at]) + 1
        found.append(items[at + 1 : at + 1 + count])
        at += 1 + count
    return found


def _behind_launcher(argv: list[str]) -> list[str] | None:
    if argv[0] == "sglang" and argv[1:2] == ["serve"]:
        return argv[2:]
    for index, word in enumerate(argv[:-1]):
        if word == "-m" and argv[index + 1] in LAUNCHERS:
            return argv[index + 2 :]
    for index, word in enumerate(argv):
        if word.endswith("sglang/launch_server.py"):
            return argv[index + 1 :]
    return None


def agrees(argv: Sequence[str], words: Sequence[Word]) -> bool:
    """Whether the words we claim allow what ran: certain words equal, maybe words there or not, holes anything."""

    @cache
    def rest(at: int, index: int) -> bool:
        if index == len(words):
            return at == len(argv)
        word = words[index]
        if word.many:
            return any(rest(end, index + 1) for end in range(at, len(argv) + 1))
        if word.presence == "maybe" and rest(at, index + 1):
            return True
        return at < len(argv) and _fits(word, argv[at]) and rest(at + 1, index + 1)

    return rest(0, 0)


def _fits(word: Word, text: str) -> bool:
    if word.text is not None:
        return word.text == text
    if word.mapped is None:
        return True
    pattern = ""
    at = 0
    for start, end in word.unknown:
        pattern += re.escape(word.mapped.text[at:start]) + ".*"
        at = end
    return re.fullmatch(pattern + re.escape(word.mapped.text[at:]), text, re.DOTALL) is not None


def certain(launch: Launch, *, conditional: bool = True) -> tuple[int, int]:
    """How many words of a launch are claimed for certain, of how many; with those under a condition or without."""
    words = [word for word in launch.words if conditional or word.presence == "yes"]
    sure = [word for word in words if word.text is not None and word.presence == "yes"]
    return len(sure), len(words)


def available() -> bool:
    return shutil.which("bash") is not None and os.name == "posix"
