"""Completion: what can be written at the cursor, as protocol items."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from ..assist import Completion, complete
from ..assist.completion import Kind
from ..settings import Settings
from ..text import Document, Encoding, Position, Sources
from .convert import to_range

TRIGGERS = ["-", "=", "[", ",", "/"]

_KINDS: Mapping[Kind, types.CompletionItemKind] = {
    "flag": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "model": types.CompletionItemKind.Value,
    "gpu": types.CompletionItemKind.Value,
    "release": types.CompletionItemKind.Value,
    "rule": types.CompletionItemKind.Reference,
}


def completions(
    document: Document, position: types.Position, settings: Settings, sources: Sources, encoding: Encoding
) -> types.CompletionList:
    """Items with the range they replace; an editor may filter them further while the word grows."""
    at = document.lines.offset(Position(position.line, position.character), encoding)
    items = [_item(item, document, encoding) for item in complete(document, at, settings, sources)]
    return types.CompletionList(is_incomplete=False, items=items)


def _item(item: Completion, document: Document, encoding: Encoding) -> types.CompletionItem:
    return types.CompletionItem(
        label=item.label,
        kind=_KINDS[item.kind],
        detail=item.detail or None,
        documentation=item.documentation or None,
        sort_text=item.order or None,
        tags=[types.CompletionItemTag.Deprecated] if item.deprecated else None,
        # Clients filter by the text before the cursor inside the range, which has the dashes that were typed.
        filter_text=item.text,
        text_edit=types.TextEdit(to_range(document.lines, item.span, encoding), item.text),
    )
