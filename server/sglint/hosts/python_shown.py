"""What is shown of a Python program's values that are not known, and strings put into other strings."""

from __future__ import annotations

from ..records import replace
from ..text import Mapped, Span
from .python_values import Part, Text, Value, has_several_words, span_of, text_of

MAX_SHOWN = 80


def short(written: str, span: Span) -> Mapped:
    """An expression as it is written, cut where it is long."""
    return (
        Mapped.identity(written, span.start) if len(written) <= MAX_SHOWN else Mapped.whole(written[:MAX_SHOWN], span)
    )


def shown(value: Value) -> Mapped:
    """What is shown of a value: its first part."""
    return (
        text_of(value).parts[0].placed
        if not isinstance(value, Text) or value.parts
        else Mapped.whole("", span_of(value))
    )


def placed(text: Text) -> Mapped:
    """A string with the place of each part."""
    return Mapped.join((part.placed for part in text.parts), anchor=text.at)


def put_in(text: Text, field: Mapped) -> Text:
    """A string as a replacement field gives it; of an expression that is not known the field is shown."""
    if has_several_words(text):
        return text
    span = field.span()
    parts: list[Part] = []
    for part in text.parts:
        parts.append(replace(part, mapped=part.mapped if part.known else field, site=span))
    return Text(tuple(parts), span.start)
