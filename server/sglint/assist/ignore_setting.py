"""One more code in the ``ignore`` list of a configuration text, its layout kept."""

from __future__ import annotations

import re
from pathlib import PurePath

from .. import toml
from ..records import dataclass
from ..settings import Settings, parse
from ..text import Edit, Span, apply_edits

KEY = "ignore"
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_PYPROJECT_TABLE = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*sglint[ \t]*\][^\r\n]*", re.MULTILINE)
_ELEMENT = re.compile(r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?P<comment>\#[^\r\n]*)|(?P<end>\])""")


@dataclass(frozen=True)
class Changed:
    """The edit, and the settings that the text after it gives."""

    edit: Edit
    settings: Settings


def with_ignored(text: str, path: str, code: str) -> Changed | None:
    """The edit that adds ``code``; None where the text's layout, or a mistake in it, leaves none that works."""
    before = parse(text, path)
    edit = _edit(text, path, code)
    if edit is None or code in before.ignore:
        return None
    after = parse(apply_edits(text, [edit]), path)
    kept = len(after.findings) <= len(before.findings)
    return Changed(edit, after) if kept and after.ignore == (*before.ignore, code) else None


def _edit(text: str, path: str, code: str) -> Edit | None:
    prefix = ("tool", "sglint") if PurePath(path).name == "pyproject.toml" else ()
    key = toml.span_of(text, (*prefix, KEY))
    if text[key.start : key.end].strip("\"'") == KEY:
        return _in_list(text, key.end, code)
    line = f'{KEY} = ["{code}"]'
    end = "\r\n" if "\r\n" in text else "\n"
    if prefix:
        header = _PYPROJECT_TABLE.search(text)
        return Edit(Span(header.end(), header.end()), f"{end}{line}") if header else None
    table = _TABLE.search(text)
    at = table.start() if table else len(text)
    # A comment above a table belongs to it.
    while table and (comment := re.search(r"(?:^|(?<=\n))[ \t]*#[^\n]*\n\Z", text[:at])):
        at = comment.start()
    lead = end if at and not text[:at].endswith(("\n", "\r")) else ""
    return Edit(Span(at, at), f"{lead}{line}{end}{end if table else ''}")


def _in_list(text: str, at: int, code: str) -> Edit | None:
    """Behind the last string of the array that begins after ``at``, on a line of its own where that is."""
    start = text.find("[", at)
    if start < 0:
        return None
    last: re.Match[str] | None = None
    for element in _ELEMENT.finditer(text, start + 1):
        if element["end"]:
            break
        last = element if element["string"] else last
    else:
        return None
    if last is None:
        return Edit(Span(start + 1, start + 1), f'"{code}"')
    line = max(text.rfind("\n", 0, last.start()), text.rfind("\r", 0, last.start())) + 1
    own_line = line > start and not text[line : last.start()].strip()
    newline = ("\r\n" if "\r\n" in text else "\n") + text[line : last.start()]
    return Edit(Span(last.end(), last.end()), f',{newline if own_line else " "}"{code}"')
