"""New YAML scalars that read back as the text they are given."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import yaml

from ..launch.model import CannotEdit
from ..patterns import lazy
from .yaml_documents import LOADER
from .yaml_scalars import encode_plain
from .yaml_tree import Item

_TEXT = "tag:yaml.org,2002:str"
_PRINTS_AS_WRITTEN = lazy(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{0,9}[1-9])?|true|false")
"""Numbers and truths that come out of YAML as they went in: ``0.90`` would be 0.9, ``yes`` is true."""


def written_value(text: str, like: Item | None, *, as_text: bool = True) -> str:
    """``text`` as a scalar in the style of ``like``; quoted where plain text would be cut or read as a number.

    ``as_text`` False leaves numbers and truths plain that print as they are written, as a map of settings wants them.
    """
    style = like.node.style if like is not None else None
    if style == "'" and "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    if style == '"':
        return json.dumps(text, ensure_ascii=False)
    was_text = like is None or like.node.tag == _TEXT
    is_other = resolved_tag(text) != _TEXT
    if is_other and (was_text if as_text else not _PRINTS_AS_WRITTEN.fullmatch(text)):
        return json.dumps(text, ensure_ascii=False)
    return _plain_or_quoted(text, in_flow=like is not None and like.in_flow)


def _plain_or_quoted(text: str, *, in_flow: bool) -> str:
    if text and text == text.strip():
        try:
            return encode_plain(text, at_start=True, in_flow=in_flow)
        except CannotEdit:
            pass
    return json.dumps(text, ensure_ascii=False)


def quoted_like(text: str, neighbour: Item) -> str:
    """``text`` as a new list item beside ``neighbour``, in its quoting."""
    style = neighbour.node.style
    if style == "'":
        return "'" + text.replace("'", "''") + "'"
    if style == '"':
        return json.dumps(text, ensure_ascii=False)
    if resolved_tag(text) != _TEXT:
        return json.dumps(text, ensure_ascii=False)
    return _plain_or_quoted(text, in_flow=neighbour.in_flow)


@lru_cache(maxsize=1)
def _resolver() -> Any:
    return LOADER("")


def resolved_tag(text: str) -> str:
    """What a YAML 1.1 reader takes a plain ``text`` for."""
    return str(_resolver().resolve(yaml.ScalarNode, text, (True, False)))
