"""Statements that change nothing we know and start nothing: most of a long script, and not worth walking."""

from __future__ import annotations

import re
from collections.abc import Collection

from .shell_builtins import BUILTINS
from .wrappers import WRAPPERS

KINDS = frozenset("if_statement case_statement for_statement while_statement list pipeline subshell".split())
"""Statements for which it pays to look before walking."""

_WORDS = "|".join(
    sorted(
        re.escape(word)
        for word in {
            *(BUILTINS - {"."}),
            *(word for word in WRAPPERS if word[0].isalpha() and word not in ("then", "do", "else")),
            *"export declare local typeset readonly pip pip3 git docker podman nerdctl sbatch bash sh zsh dash".split(),
            *"ksh ash python source vllm ray router smg amg mooncake_master".split(),
        }
    )
)
_ACTS = re.compile(
    rf"sgl|<<|\(\(|\(\)|(?<![\w-])[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=|:=|\$\{{\w+=|(?<![\w.-])(?:{_WORDS})(?![\w-])|python"
    r"|(?:^|[;&|({`\n!]|\b(?:then|do|else|elif|if|while|until)\b)[ \t]*[\"']?(?:\$|\.[ \t])"
)


def is_inert(text: str, names: Collection[str]) -> bool:
    """Whether a statement surely leaves variables alone and starts nothing. ``names`` are words that run more."""
    return _ACTS.search(text) is None and (not names or not any(word in names for word in _split(text)))


def _split(text: str) -> list[str]:
    return re.split(r"[\s;&|(){}]+", text)
