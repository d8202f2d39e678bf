"""What one command of a pipeline hands to the next, and one script to the scripts inside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .embedding import Embedding
from .program_words import Program
from .programs import SHELLS
from .shell_bodies import Body, body_of
from .shell_inner import script_of
from .shell_quotes import Outer
from .shell_script import Script
from .shell_values import Item, State

if TYPE_CHECKING:
    from .shell_walk import Walker

Node = Any
Functions = Mapping[str, "tuple[Script, Node]"]

READERS = re.compile(r"\|&?[^|]*\b(?:ba|da|z|k)?sh\b|\|&?[^|]*\btee\b")
"""Pipelines whose end may read a script."""

_REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")
_WRITTEN_OUT = re.compile(r"\$\((?:declare|typeset)[ \t]+-f((?:[ \t]+[\w.:-]+)+)[ \t]*\)")


def printed(walker: Walker, node: Node, state: State) -> Body | None:
    """What a command prints that the next one of a pipeline reads, as far as it may be a script."""
    children = node.children if node.type == "redirected_statement" else [node]
    redirects = [child for child in children if child.type in _REDIRECTS]
    command = next((child for child in children if child.type == "command"), None)
    if command is None:
        return None
    redirects += [child for child in command.children if child.type in _REDIRECTS]
    words = [child for child in command.children if child.is_named and child.type not in _REDIRECTS]
    name = walker.text(words[0]) if words else ""
    if name == "cat":
        return body_of(walker.script, redirects, state)
    if name not in ("echo", "printf") or redirects:
        return None
    said = _said(name, walker.items(words[1:], state))
    if not said:
        return None
    pieces, mapped, origins = script_of(said)
    outer = Outer(tuple(pieces))
    return Body(Script(Embedding(mapped, outer.encode, walker.script.embedding.path), origins, outer))


def _said(name: str, items: Sequence[Item]) -> Sequence[Item]:
    """The words that make the text; none where escapes or a format change it."""
    texts = ["".join(piece.text for piece in item.pieces) for item in items]
    if name == "printf":
        if texts[:1] in (["%s"], ["%s\\n"]) and len(items) == 2:
            return items[1:]
        return items if len(items) == 1 and not re.search(r"[%\\]", texts[0]) else ()
    start = next((index for index, text in enumerate(texts) if not re.fullmatch(r"-[neE]+", text)), len(texts))
    escapes = any("e" in text for text in texts[:start])
    return () if escapes and any("\\" in text for text in texts) else items[start:]


def handed(walker: Walker, program: Program | None, items: Iterable[Item | None] = ()) -> Functions:
    """The functions that a script inside another one may call besides its own."""
    if program is None or program.name == "eval":
        return walker.functions
    names: set[str] = set()
    if program.name in SHELLS and not program.fresh_env:
        names |= walker.exported
    for item in items:
        text = "".join(piece.text for piece in item.pieces) if item is not None else ""
        names.update(name for found in _WRITTEN_OUT.finditer(text) for name in found[1].split())
    return {name: walker.functions[name] for name in names if name in walker.functions}
