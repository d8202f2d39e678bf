"""Every page there is about a code: rules with their examples, and findings that no rule makes."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import dataclass
from ..rules import load
from ..rules.model import Rule
from .notices import notices
from .rulepages import Example


@dataclass(frozen=True)
class Page:
    rule: Rule
    examples: Sequence[Example] = ()


def pages() -> dict[str, Page]:
    """By code, in order of codes. Raises FileNotFoundError when the installation lacks its rules."""
    rules = load()
    found = {rule.code: Page(rule, rules.examples.get(rule.code, [])) for rule in rules.rules}
    found |= {notice.code: Page(notice) for notice in notices()}
    return dict(sorted(found.items()))
