"""Where the command line of a server begins behind a program that nobody knows: the user's own wrapper.

``./with_env.sh python3 -m sglang.launch_server ...``, ``py-spy record -- sglang serve ...``: who hands on the words of
a server as words of its own starts it, unless it only prints, searches or keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from ..launch.model import Word
from ..patterns import lazy
from .program_words import basename

_BYSTANDERS = frozenset(
    """
    : . [ [[ alias assert awk bg bind break builtin caller cat cd command_not_found compgen complete continue curl
    declare diff dirs disown echo egrep eval exit export false fg fgrep figlet fuser gawk getopts git grep hash head
    help history info jobs jq kill killall less let local logger logout ls lsof make man mapfile more notify-send
    pgrep pidof pip pip3 pkill popd printf ps pushd pwd read readarray readonly return rg say sed set shift shopt
    source tail tee test tr trap true type typeset ulimit umask unalias unset wait wget whereis which yq
    """.split()
)
"""Programs that get a server's command line as words and start nothing of it."""

_SPEAKS = lazy(
    r"(?:^|[_-])(?:log|echo|print\w*|info|warn\w*|err|error|debug|die|fail|usage|say|msg|note|notice|status|title"
    r"|banner|abort|write|save|dump|store|show|record|describe|register|check|verify|expect|quote|join|require)(?:$|[_-])"
)
_RUNS = lazy(r"run|exec|start|launch|serve")
_PYTHON = lazy(r"python[\d.]*|pypy[\d.]*")
_ASSIGNMENT = lazy(r"[A-Za-z_]\w*=")
_MOVERS = frozenset(("docker", "podman", "nerdctl", "srun", "ssh", "apptainer", "singularity", "env"))
"""Wrappers that say something of the server they start, which is lost where its own words are taken alone."""


def carried(words: Sequence[Word], modules: Collection[str], shells: Collection[str]) -> int | None:
    """Index behind the first word where a server's command line begins; None where there is none.

    ``modules`` start servers, ``shells`` are programs that read a script.
    """
    name = basename(words[0]) if words else None
    if not name or name in _BYSTANDERS or (_SPEAKS.search(name) and not _RUNS.search(name)):
        return None
    for index in range(1, len(words)):
        if _begins(words, index, modules, shells):
            first = next((at for at in range(1, index) if basename(words[at]) in _MOVERS), index)
            while first > 1 and _ASSIGNMENT.match(words[first - 1].known_prefix):
                first -= 1
            return first
    return None


def _begins(words: Sequence[Word], index: int, modules: Collection[str], shells: Collection[str]) -> bool:
    name = basename(words[index])
    after = [word.text for word in words[index + 1 : index + 5]]
    if name is None or not after:
        return False
    if name == "sglang":
        return after[0] == "serve"
    if _PYTHON.fullmatch(name):
        return any(flag == "-m" and module in modules for flag, module in pairwise(after))
    if name in shells and len(after) > 1 and re.fullmatch(r"-[a-z]*c[a-z]*", after[0] or ""):
        return any(module in (after[1] or "") for module in (*modules, "sglang serve"))
    return False


def module_at(words: Sequence[Word], modules: Collection[str]) -> int | None:
    """Index of a server's module behind ``-m`` among the words of a program that runs modules; None without one."""
    for index, word in enumerate(words[:-1]):
        if word.text == "-m" and words[index + 1].text in modules:
            return index + 1
    return None
