"""Here-documents and here-strings: text that a command reads, and that may be a script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..records import dataclass
from ..text import Mapped
from .embedding import Embedding
from .shell_expand import Expander
from .shell_inner import script_of
from .shell_quotes import Outer
from .shell_script import Script
from .shell_values import Item, State

Node = Any


@dataclass(frozen=True)
class Body:
    """``script`` is what the command reads; ``target`` the file its output goes to, as far as known."""

    script: Script
    target: str | None = None


def body_of(script: Script, redirects: Sequence[Node], state: State) -> Body | None:
    """What the redirections give a command to read; None without a here-document."""
    found: Script | None = None
    target: str | None = None
    for redirect in redirects:
        if redirect.type == "file_redirect":
            destination = redirect.children_by_field_name("destination")
            if destination and any(child.type in (">", ">|", ">>", "&>") for child in redirect.children):
                target = path_text(script, destination[0], state)
        elif redirect.type == "heredoc_redirect":
            found = _heredoc(script, redirect, state)
        elif redirect.type == "herestring_redirect":
            found = _herestring(script, redirect, state)
    return Body(found, target) if found is not None else None


def path_text(script: Script, node: Node, state: State) -> str:
    """A file name to compare with another: its value, or its source text where that is not known."""
    pieces = Expander(script, state).pieces(node.start_byte, node.end_byte)
    return "".join(piece.text for piece in pieces)


def _heredoc(script: Script, redirect: Node, state: State) -> Script | None:
    start = body = None
    for child in redirect.children:
        if child.type == "heredoc_start":
            start = child
        elif child.type == "heredoc_body":
            body = child
    if start is None or body is None:
        return None
    delimiter = script.text[start.start_byte : start.end_byte]
    first, last = body.start_byte, body.end_byte
    if any(sign in delimiter for sign in "'\"\\"):
        mapped = Mapped.identity(script.text[first:last], first)
        if any(child.type == "<<-" for child in redirect.children):
            mapped = _without_tabs(mapped)
        return Script(script.embedding.within(mapped, lambda text, offset: text), ())
    # Leading tabs of `<<-` stay here: between the words of a command they mean nothing.
    pieces = Expander(script, state).pieces(first, last, "heredoc")
    pieces, mapped, origins = script_of([Item(tuple(pieces))])
    outer = Outer(tuple(pieces), "heredoc")
    return Script(Embedding(mapped, outer.encode, script.embedding.path), origins, outer)


def _without_tabs(mapped: Mapped) -> Mapped:
    parts: list[Mapped] = []
    at = 0
    for tabs in re.finditer(r"^\t+", mapped.text, re.MULTILINE):
        parts.append(mapped.slice(at, tabs.start()))
        at = tabs.end()
    parts.append(mapped.slice(at))
    return Mapped.join(parts)


def _herestring(script: Script, redirect: Node, state: State) -> Script | None:
    named = [child for child in redirect.children if child.is_named]
    if not named:
        return None
    pieces = Expander(script, state).pieces(named[0].start_byte, named[-1].end_byte)
    pieces, mapped, origins = script_of([Item(tuple(pieces))])
    outer = Outer(tuple(pieces))
    return Script(Embedding(mapped, outer.encode, script.embedding.path), origins, outer)
