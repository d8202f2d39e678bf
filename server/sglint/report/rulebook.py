"""Every page there is about a code: rules with their examples, and findings that no rule makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..records import dataclass
from ..rules import load
from ..rules.model import Rule
from .notices import notices
from .rulepages import Example, rule_markdown

COMMAND = "sglint rules --format markdown --output docs/rules"


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


def book(found: Mapping[str, Page]) -> Iterator[tuple[str, str]]:
    """File names and texts of the Markdown pages: an index, and one page a code."""
    yield "README.md", "\n".join(_index(found))
    for code, page in found.items():
        yield f"{code}.md", "\n".join(rule_markdown(page.rule, page.examples))


def _index(found: Mapping[str, Page]) -> Iterator[str]:
    yield "# Rules"
    yield ""
    yield f"Written from the rule files by `{COMMAND}`. `sglint explain CODE` prints a page."
    by_topic: dict[str, list[Rule]] = {}
    for page in found.values():
        by_topic.setdefault(page.rule.topic, []).append(page.rule)
    for topic, rules in by_topic.items():
        yield from ("", f"## {topic.replace('-', ' ').capitalize()}", "")
        yield from ("| code | name | severity | releases | |", "| --- | --- | --- | --- | --- |")
        for rule in rules:
            releases = "<br>".join(f"`{bounds}`" for bounds in rule.releases.split(" | ") if bounds) or "all"
            yield f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {releases} | {rule.summary} |"
    yield ""
