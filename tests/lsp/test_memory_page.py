"""The memory page that panels show, made without a process."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from sglint.lint import lint
from sglint.lsp import overview
from sglint.settings import Settings
from sglint.text import Document

from .texts import SCRIPT


def test_the_page_has_the_picture_of_the_plan() -> None:
    report = lint(Document("run.sh", SCRIPT, "shell"), Settings(), fixes=False)
    page = overview.memory_page(report, 0, "utf-16")
    words = [element.text for element in ElementTree.fromstring(page["svg"]).iter("{http://www.w3.org/2000/svg}text")]
    assert f"token budget {page['plan']['max_total_num_tokens']:,}" in words
