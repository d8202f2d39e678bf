"""Words that reach the server with a variable's name in them, because nobody puts its value there.

A kubelet expands ``$(NAME)`` in a container's command and arguments; ``$NAME`` and ``${NAME}`` are for shells, and
no shell reads them. Compose makes ``${NAME}`` of ``$${NAME}``, for a shell in the container. Source: the Kubernetes
documentation on dependent environment variables and on ``command``; the Compose specification on interpolation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..launch.model import EnvVar, Word
from ..launch.options import Parsed, ParseProblem
from ..patterns import lazy
from ..records import replace

_SHELL = lazy(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)


def _named(word: Word | None, declared: Sequence[EnvVar]) -> tuple[EnvVar, ...]:
    """The declared variables that a known word names as a shell would."""
    text = word.text if word is not None else None
    if not text or "$" not in text:
        return ()
    found = {match[1] or match[2] for match in _SHELL.finditer(text)}
    return tuple(variable for variable in declared if variable.name in found)


def expandable(text: str, declared: Sequence[EnvVar]) -> str:
    """The text with its declared variables written for a kubelet."""
    return _replaced(text, {variable.name: f"$({variable.name})" for variable in declared})


def expanded(text: str, declared: Sequence[EnvVar]) -> str:
    """The text with the values of its declared variables."""
    return _replaced(text, {variable.name: variable.value or "" for variable in declared})


def _replaced(text: str, texts: Mapping[str, str]) -> str:
    return _SHELL.sub(lambda match: texts.get(match[1] or match[2], match[0]), text)


def with_literals(parsed: Parsed, declared: Sequence[EnvVar], *, by_kubelet: bool) -> Parsed:
    """``parsed`` with a problem for each word in which a variable of the container stays a name.

    ``by_kubelet``: a kubelet starts the container, which expands names written in its own way.
    """
    problems: list[ParseProblem] = []
    told: set[int] = set()
    for problem in parsed.problems:
        named = _named(problem.word, declared)
        if named and problem.kind in ("type", "choice"):
            told.add(id(problem.word))
            detail = f"{problem.detail}, and {_advice(named, by_kubelet)}"
            problem = replace(problem, detail=detail, candidates=(), literal=named if by_kubelet else ())
        problems.append(problem)
    return replace(parsed, problems=(*problems, *_silent(parsed, declared, told, by_kubelet)))


def _silent(
    parsed: Parsed, declared: Sequence[EnvVar], told: Collection[int], by_kubelet: bool
) -> Iterator[ParseProblem]:
    """Words that no parser refuses."""
    for option in parsed.options:
        for word in option.words:
            named = _named(word, declared)
            if named and id(word) not in told:
                shown = " and ".join(f"`${{{variable.name}}}`" for variable in named)
                detail = f"SGLang gets {shown} as written: {_advice(named, by_kubelet)}"
                literal = named if by_kubelet else ()
                yield ParseProblem(
                    "not-expanded", word.span, word, option.flag, "", detail, fatal=False, literal=literal
                )


def _advice(named: Sequence[EnvVar], by_kubelet: bool) -> str:
    if not by_kubelet:
        return "`$$` keeps the name for a shell in the container, and this command starts none"
    return f"the kubelet puts values in for {' and '.join(f'`$({variable.name})`' for variable in named)} only"
