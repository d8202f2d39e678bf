"""Fails when a page of the built site would have a browser fetch something from another host.

    python tools/site_offline.py FOLDER

Links that a reader may follow are left alone.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "video": "src", "audio": "src"}
LINKED = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload"}
IN_STYLES = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)")


class Page(HTMLParser):
    """The addresses that a browser fetches to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in FETCHED:
            self.fetched.append(given.get(FETCHED[tag], ""))
        elif tag == "link" and LINKED & set(given.get("rel", "").split()):
            self.fetched.append(given.get("href", ""))


def foreign(path: Path) -> list[str]:
    """Addresses of other hosts that the file makes a browser fetch."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".css":
        return IN_STYLES.findall(text)
    page = Page()
    page.feed(text)
    inline = "\n".join(re.findall(r"<style.*?</style>", text, re.DOTALL))
    return [url for url in page.fetched if re.match(r"(https?:)?//", url)] + IN_STYLES.findall(inline)


def main(folder: Path) -> int:
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".css"))
    if not any(path.suffix == ".html" for path in files):
        print(f"{folder}: no pages")
        return 2
    found = [f"{path}: {url}" for path in files for url in foreign(path)]
    print("\n".join(found) or f"{len(files)} pages and style sheets fetch nothing from elsewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
