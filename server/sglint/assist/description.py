"""What a flag is, as Markdown for a hover."""

from __future__ import annotations

from typing import Any

from .. import knowledge
from ..catalogue import Flag, releases
from ..launch.options import Option
from ..rules.findings import Judged
from ..text import Span

REFERENCE = "https://docs.sglang.ai/advanced_features/server_arguments.html"
SHOWN_CHOICES = 24

_TYPES = {
    "int": "integer",
    "float": "number",
    "str": "text",
    "bool": "true or false",
    "json": "JSON object",
    "json_list_type": "JSON list",
    "human_readable_int": "integer, also as 8k or 1M",
    "nullable_str": "text",
}


def option_at(judged: Judged, offset: int, path: str | None = None) -> Option | None:
    """The option whose flag stands at ``offset`` of the launch's own document (or of the file at ``path``)."""
    here = Span(offset, offset)
    for option in judged.parsed.options:
        if option.words[0].path in (None, path) and not option.implied and option.flag_span.touches(here):
            return option
    return None


def describe_option(judged: Judged, offset: int, path: str | None = None) -> str | None:
    """Meaning, type, default, choices and history of the flag at ``offset``; None where there is none known."""
    option = option_at(judged, offset, path)
    if option is None or option.flag is None:
        return None
    return describe_flag(option.flag, judged.parsed.release)


def describe_flag(flag: Flag, release: str) -> str:
    name = flag.names[0]
    lines = [f"**`{name}`** {type_of(flag)}".rstrip()]
    sentence = knowledge.explain(flag.dest)
    if sentence:
        lines += ["", sentence]
    lines += ["", *(f"- {fact}" for fact in _facts(flag, release))]
    lines += ["", f"[Server arguments]({REFERENCE})"]
    return "\n".join(lines)


def _facts(flag: Flag, release: str) -> list[str]:
    facts: list[str] = []
    name = flag.names[0]
    past = knowledge.history(name)
    change = past.last_change("default", release) if past else None
    if flag.required:
        facts.append("required")
    elif flag.takes_value:
        before = f", since {change.release} (before: {_value(change.before)})" if change else ""
        facts.append(f"default in {release}: {default_of(flag) or 'none'}{before}")
    values = knowledge.values_of(flag, release)
    if values:
        more = f" and {len(values) - SHOWN_CHOICES} more" if len(values) > SHOWN_CHOICES else ""
        listed = ", ".join(f"`{value}`" for value in values[:SHOWN_CHOICES])
        facts.append(f"{'one of' if flag.choices is not None else 'for example'} {listed}{more}")
    if flag.choices_open:
        facts.append("plug-ins may add values")
    if past:
        until = "" if past.until == releases()[-1] else f", until {past.until}"
        facts.append(f"since {past.since}{until}")
    if len(flag.names) > 1:
        facts.append("also " + ", ".join(f"`{alias}`" for alias in flag.names[1:]))
    if flag.deprecated:
        instead = knowledge.deprecation(name, release)
        targets = " and ".join(f"`{target.text}`" for target in instead.targets) if instead else ""
        facts.append("deprecated" + (f": use {targets}" if targets else ""))
    return facts


def type_of(flag: Flag) -> str:
    """The kind of value a flag takes, in a word."""
    if not flag.takes_value:
        return "switch"
    kind = "one of a list" if flag.choices else _TYPES.get(flag.type, "text")
    return f"{kind}, several" if flag.nargs in ("*", "+") else kind


def default_of(flag: Flag) -> str:
    """The default as code; ``""`` for none, words where the release computes it."""
    if flag.default_computed:
        return "computed at start-up"
    return "" if flag.default is None or not flag.takes_value else _value(flag.default)


def _value(value: Any) -> str:
    return "none" if value is None else f"`{value}`"
