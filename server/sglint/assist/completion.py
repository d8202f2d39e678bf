"""Completion of flags, values and directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from .. import catalogue, knowledge, rules
from ..catalogue import Flag
from ..models import hardware, registry
from ..records import dataclass
from ..settings import Settings
from ..text import Document, Sources, Span
from .cursor import Slot, slots_at
from .description import default_of, type_of

Kind = Literal["flag", "value", "model", "gpu", "release", "rule"]

MODEL_FLAGS = ("model_path", "speculative_draft_model_path", "tokenizer_path")
GPU_COUNTS = (1, 2, 4, 8)

_DIRECTIVE = re.compile(r"#[ \t]*sglint:[ \t]*(?P<rest>[^\r\n]*)$")
_SETTING = re.compile(r"(?:^|\s)(?P<key>release|gpu|model|draft)=(?P<typed>\S*)$")
_IGNORE = re.compile(r"ignore\[(?:[^\]]*,[ \t]*)?(?P<typed>[A-Za-z0-9]*)$")
_KEY = re.compile(r"(?:^|\s)(?P<typed>[a-z]*)$")
_KEYS = {
    "release=": "the SGLang release of this launch",
    "gpu=": "the GPU, and how many of it: h200x8",
    "model=": "the model, by its name on the hub",
    "draft=": "the draft model, by its name on the hub",
    "ignore[]": "hide findings of these rules here",
    "file": "what follows holds for the whole file",
}


@dataclass(frozen=True)
class Completion:
    """``text`` to put in place of ``span``; ``order`` sorts, ``detail`` and ``documentation`` explain."""

    label: str
    span: Span
    text: str
    kind: Kind
    detail: str = ""
    documentation: str = ""
    order: str = ""
    deprecated: bool = False


def complete(document: Document, offset: int, settings: Settings, sources: Sources | None = None) -> list[Completion]:
    """What can be written at ``offset``; what is typed there already filters."""
    directive = list(_directive(document, offset))
    if directive:
        return directive
    found: list[Completion] = []
    for slot in slots_at(document, offset, settings, sources or Sources.none()):
        found += sorted(_values(slot) if slot.kind == "value" else _flags(slot), key=lambda item: item.order)
    return found


def _flags(slot: Slot) -> Iterator[Completion]:
    given = {option.dest for option in slot.parsed.options if option is not slot.option} if slot.parsed else set()
    typed = slot.typed.lstrip("-").replace("_", "-").lower()
    for flag in slot.table.flags:
        if flag.dest in given and flag.action not in ("append", "extend"):
            continue
        for rank, name in enumerate(name for name in flag.names if name.startswith("--")):
            if _holds(typed, name[2:]):
                yield _flag(slot, flag, name, rank, typed)


def _flag(slot: Slot, flag: Flag, name: str, rank: int, typed: str) -> Completion:
    detail = type_of(flag)
    default = default_of(flag)
    return Completion(
        label=name if slot.dashed else name[2:],
        span=slot.span,
        text=name if slot.dashed else name[2:],
        kind="flag",
        detail=f"{detail}, default {default}" if default and detail else detail,
        documentation=knowledge.explain(flag.dest) or "",
        order=f"{int(flag.deprecated)}{int(not name[2:].startswith(typed))}{_place(flag)}{rank}{name}",
        deprecated=flag.deprecated,
    )


def _place(flag: Flag) -> str:
    """Flags that most people use come before the rest."""
    return f"{knowledge.commonness(flag.dest) or 999:03}"


def _values(slot: Slot) -> Iterator[Completion]:
    flag = slot.flag
    if flag is None:
        return
    if flag.dest in MODEL_FLAGS:
        yield from _plain(registry.names(), slot.typed, slot.span, "model")
        return
    offered = knowledge.values_of(flag, slot.table.release)
    if not offered and not flag.takes_value:
        offered = ("true", "false")
    default = default_of(flag)
    for index, value in enumerate(offered):
        if _holds(slot.typed.lower(), value.lower()):
            detail = "default" if f"`{value}`" == default else ""
            yield Completion(value, slot.span, value, "value", detail, order=f"{index:03}")


def _directive(document: Document, offset: int) -> Iterator[Completion]:
    """Settings, their values and rule codes in a ``# sglint:`` comment."""
    line = document.lines.line_span(document.lines.line_of(offset))
    comment = _DIRECTIVE.search(document.text[line.start : offset])
    if comment is None:
        return
    rest = comment["rest"]
    codes = _IGNORE.search(rest)
    setting = _SETTING.search(rest)
    key = _KEY.search(rest)
    match = codes or setting or key
    if match is None:
        return
    typed = match["typed"]
    span = Span(offset - len(typed), offset)
    if codes:
        yield from _codes(typed, span)
    elif setting:
        yield from _setting(setting["key"], typed, span)
    else:
        for text, meaning in _KEYS.items():
            if text.startswith(typed):
                yield Completion(text, span, text, "value", meaning)


def _codes(typed: str, span: Span) -> Iterator[Completion]:
    for rule in rules.load().rules:
        if _holds(typed.lower(), rule.code.lower()) or _holds(typed.lower(), rule.name):
            yield Completion(rule.code, span, rule.code, "rule", rule.name, rule.summary, rule.code)


def _setting(key: str, typed: str, span: Span) -> Iterator[Completion]:
    if key == "release":
        for index, release in enumerate(reversed(catalogue.releases())):
            if release.startswith(typed):
                yield Completion(release, span, release, "release", order=f"{index:03}")
    elif key == "gpu":
        names = [f"{name}x{count}" if count > 1 else name for name in hardware.names() for count in GPU_COUNTS]
        yield from _plain(names, typed, span, "gpu")
    else:
        yield from _plain(registry.names(), typed, span, "model")


def _plain(texts: Sequence[str], typed: str, span: Span, kind: Kind) -> Iterator[Completion]:
    for index, text in enumerate(texts):
        if _holds(typed.lower(), text.lower()):
            yield Completion(text, span, text, kind, order=f"{index:04}")


def _holds(typed: str, name: str) -> bool:
    """Whether the parts of ``typed`` begin parts of ``name``, in order: ``mem-st`` does for mem-fraction-static."""
    parts = iter(re.split(r"[-_/.]", name))
    return all(any(part.startswith(piece) for part in parts) for piece in re.split(r"[-_/.]", typed))
