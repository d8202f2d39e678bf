"""What the site needs beyond the files of docs: fresh pages of rules, their place in the menu, and how to write one."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from sglint.report.rulebook import COMMAND, book, pages

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "rules" / "README.md"
GUIDE_PAGE = "writing-rules.md"
_TOPIC = re.compile(r"^## (.+)$|^\| \[(SGL\d{3})\]\(\S+\) \| (\S+) \|", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every rule below its topic."""
    menu: dict[str, list[dict[str, str]]] = {}
    topic = ""
    for heading, code, name in _TOPIC.findall((ROOT / "docs" / "rules" / "README.md").read_text(encoding="utf-8")):
        if heading:
            topic = heading
        else:
            menu.setdefault(topic, []).append({f"{code} {name}": f"rules/{code}.md"})
    (section,) = [entry for entry in config.nav or [] if "Rules" in entry]
    section["Rules"] = [section["Rules"][0], *({title: entries} for title, entries in menu.items())]
    return config


def on_pre_build(config: MkDocsConfig) -> None:
    """Refuse to build from pages that are not what the rules say."""
    fresh = dict(book(pages()))
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
    stale = sorted(name for name in fresh.keys() | kept.keys() if fresh.get(name) != kept.get(name))
    if stale:
        raise PluginError(f"docs/rules is stale ({', '.join(stale[:5])}): run `make docs` (`{COMMAND}`)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The guide for authors of rules stands beside the rules; it is a page of the site, too."""
    files.append(File.generated(config, GUIDE_PAGE, content=GUIDE.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    return markdown.replace("](../rules/README.md", f"]({GUIDE_PAGE}")
