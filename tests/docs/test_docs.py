"""The documentation is what the program says: pages of rules are fresh, links lead somewhere, keys are all told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sglint import settings
from sglint.cli import app
from sglint.cli.check import FORMATS
from sglint.report.rulebook import COMMAND, book, pages
from sglint.settings import Settings, parse

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "rules" / "README.md"]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def anchors(path: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_pages_of_rules_are_fresh() -> None:
    fresh = dict(book(pages()))
    kept = {path.name: text_of(path) for path in (DOCS / "rules").glob("*.md")}
    stale = sorted(name for name in fresh.keys() | kept.keys() if fresh.get(name) != kept.get(name))
    assert stale == [], f"write them anew with `make docs` (`{COMMAND}`); a page without a rule has to be removed"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(text_of(path)):
        if target.startswith(("http:", "https:")):
            continue
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), target


def test_every_page_is_in_the_index() -> None:
    index = text_of(DOCS / "README.md")
    assert {path.name for path in DOCS.glob("*.md")} - {"README.md"} <= set(LINK.findall(index))


def test_every_command_has_a_place_on_its_page() -> None:
    page = text_of(DOCS / "command-line.md")
    assert {name for name in app.COMMANDS if f"`{name}`" not in page} == set()


def test_every_format_is_told() -> None:
    page = text_of(DOCS / "command-line.md")
    assert f"--format {'|'.join(FORMATS)}" in page


def test_every_setting_is_told_and_the_example_has_no_mistake() -> None:
    page = text_of(DOCS / "configuration.md")
    first_cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    told = {key for cell in first_cells for key in re.findall(r"`([a-z-]+)`", cell)}
    assert told == set(settings.key_names())
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    found = parse(example, str(ROOT / "sglint.toml"))
    assert found.findings == ()
    assert found.release != Settings().release
