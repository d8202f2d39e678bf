"""Statements that change nothing we know and start nothing: most of a long script, and not worth walking."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .shell_builtins import BUILTINS
from .wrappers import WRAPPERS

KINDS = frozenset("if_statement case_statement for_statement while_statement list pipeline subshell".split())
"""Statements for which it pays to look before walking."""


class Trait(NamedTuple):
    """What can be told of a statement from its text alone.

    acts
        it may do more than set variables and run ordinary programs.
    sets
        names of variables that it may set, and of functions that it defines.
    words
        every name that stands in it.
    defines
        names that make another statement do what this one says: of functions, and of a file it writes.
    """

    acts: bool
    sets: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    defines: frozenset[str] = frozenset()


_ENDS = frozenset("exit return break continue".split())
"""They end something; what stands behind them at the top of a script is read all the same."""

_OF_FUNCTION = frozenset(("local", "shift"))
"""What these do in a function ends with it."""

_ACTING = (
    (BUILTINS - {".", "set"})
    | {word for word in WRAPPERS if word[0].isalpha() and word not in ("then", "do", "else")}
    | set("export declare local typeset readonly unset pip pip3 git docker podman nerdctl sbatch".split())
    | set("IFS bash sh zsh dash ksh ash python source vllm ray router smg amg mooncake_master".split())
)
_SET = r"(?<![\w.-])set(?![\w-])(?![ \t]+[-+](?:[b-zA-Z]+|o[ \t]+pipefail|[b-z]*o[ \t]+pipefail)[ \t]*(?:[;&|)}\n#]|$))"
"""``set``, unless with options that change no variable."""

_ARITHMETIC = r"(?<!\$)\(\(|\$\(\([^$()]*(?:\+\+|--|[^=!<>]=(?!=)|<<=|>>=)|\$\(\([^()]*[$(]"
"""``((...))``, and ``$((...))`` that may assign."""

_ASSIGNMENT = r"(?<![\w-])([A-Za-z_]\w*)(?:\[[^\]\n]*\])?\+?="


def _acts(words: Collection[str], *more: str) -> re.Pattern[str]:
    listed = "|".join(sorted(map(re.escape, words)))
    start = r"(?:^|[;&|({`\n!]|\b(?:then|do|else|elif|if|while|until)\b)[ \t]*[\"']?(?:\$|\.[ \t])"
    signs = "|".join((r"sgl|<<|:=|\$\{\w+=", _SET, _ARITHMETIC, *more))
    return re.compile(rf"{signs}|(?<![\w.-])(?:{listed})(?![\w-])|python|{start}")


_CHANGES = _acts(_ACTING, r"\(\)", _ASSIGNMENT)
_DOES = _acts(_ACTING - _ENDS)
_DOES_OUTSIDE = _acts(_ACTING - _ENDS - _OF_FUNCTION)
_SETS = re.compile(_ASSIGNMENT + r"|\b(?:for|select)[ \t]+([A-Za-z_]\w*)")
_LOCAL = re.compile(r"\blocal[ \t]+([A-Za-z_]\w*)")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"\b([A-Za-z_][\w.:-]*)[ \t]*\([ \t]*\)|\bfunction[ \t]+([^\s(){]+)")
_FILE = re.compile(r">[|&]?[ \t]*[\"']?[^\s\"';|&<>]*?([A-Za-z_][\w.-]*)[\"']?(?=[\s;|&<>)]|$)")
_FAR_REACHING = [
    # Each begins with a plain word, which is many times as fast to look for as one that may begin in several ways.
    re.compile(r"eval(?<![\w.-]eval)(?![\w-])"),
    re.compile(r"set(?<![\w.-]set)[ \t][^\n;|&]*?(?:-[A-Za-z]*a|allexport)"),
    *(re.compile(rf"{word}[ \t]+-\w*n") for word in ("declare", "local", "typeset")),
]


def is_inert(text: str, names: Collection[str]) -> bool:
    """Whether a statement surely leaves variables alone and starts nothing. ``names`` are words that run more."""
    return _CHANGES.search(text) is None and (not names or not any(word in names for word in _split(text)))


def _split(text: str) -> list[str]:
    return re.split(r"[\s;&|(){}]+", text)


def trait_of(kind: str, text: str) -> Trait:
    """The trait of a statement, by the name of its node and its text."""
    if kind == "comment":
        return Trait("sgl" in text)
    defined = {found[1] or found[2] for found in _FUNCTION.finditer(text)} if "(" in text or "function" in text else ()
    sets = {found[1] or found[2] for found in _SETS.finditer(text)}
    if kind == "function_definition":
        sets -= {found[1] for found in _LOCAL.finditer(text)}
    acts = _DOES_OUTSIDE if kind in ("function_definition", "ERROR") else _DOES
    files = {found[1] for found in _FILE.finditer(text)} if "<<" in text else ()
    names = frozenset(_NAMES.findall(text))
    return Trait(
        acts.search(text) is not None,
        frozenset(sets).union(*map(_NAMES.findall, defined)),
        names,
        frozenset(word for name in (*defined, *files) for word in _NAMES.findall(name)[:1]),
    )


def all_may_matter(text: str) -> bool:
    """Whether a script puts names of variables together, or exports all it sets: then each of them may count."""
    return "${!" in text or any(pattern.search(text) is not None for pattern in _FAR_REACHING)


def relevant(traits: Sequence[Trait], launchers: Collection[str]) -> Iterator[bool]:
    """For each statement of a script whether it can have a part in what the script starts.

    Those that act have; so have those that set what one of them names, and those that call a function, or run a
    file, that such a statement makes. ``launchers`` are programs of the user's that start servers.
    """
    setters: dict[str, list[int]] = {}
    makers: set[str] = set()
    for index, trait in enumerate(traits):
        for name in trait.sets:
            setters.setdefault(name, []).append(index)
        makers |= trait.defines
    own = {word for name in launchers for word in _NAMES.findall(name)[:1]}
    makers |= own
    callers: dict[str, list[int]] = {}
    for index, trait in enumerate(traits):
        for name in makers & trait.words:
            callers.setdefault(name, []).append(index)
    # Comments, whose words are not kept, may name a launcher of the user's as well.
    todo = [index for index, trait in enumerate(traits) if trait.acts or (own and not trait.words)]
    todo += [index for name in own for index in callers.get(name, ())]
    taken = bytearray(len(traits))
    named: set[str] = set()
    while todo:
        index = todo.pop()
        if taken[index]:
            continue
        taken[index] = 1
        trait = traits[index]
        for name in trait.defines:
            todo += callers.get(name, ())
        for name in trait.words - named:
            named.add(name)
            todo += setters.get(name, ())
    return map(bool, taken)
