"""Launches in the recipes of Makefiles and justfiles, read only."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import AddOption, CannotEdit, Launch
from sglint.text import Document, Sources
from sglint.text.document import language_of

MAKEFILE = """\
MODEL := org/wren-7b
PORT ?= 30000
TWICE = 1
TWICE = 2

serve: check
\t@python3 -m sglang.launch_server --model-path $(MODEL) \\
\t  --port ${PORT} --tp $$TP --dp $(TWICE) --host $(shell hostname -i)
\t-pkill -f sglang.launch_server
"""
JUSTFILE = """\
model := "org/wren-7b"

serve port="30000":
    #!/usr/bin/env bash
    TP=2
    @sglang serve {{model}} --port {{port}} --tp $TP
"""


def launches_of(path: str, text: str) -> tuple[Launch, ...]:
    language = language_of(path)
    assert language is not None
    return hosts.read(Document(path, text, language), Sources.none()).launches


def test_a_recipe_is_a_script_with_makes_own_variables_filled_in() -> None:
    (launch,) = launches_of("Makefile", MAKEFILE)
    texts = [word.text for word in launch.words]
    assert texts == ["--model-path", "org/wren-7b", "--port", "30000", "--tp", None, "--dp", None, "--host", None]
    assert [MAKEFILE[word.span.start : word.span.end] for word in launch.words[1::2]] == [
        "$(MODEL)",
        "${PORT}",
        "$$TP",
        "$(TWICE)",
        "$(shell hostname -i)",
    ]
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [AddOption("--page-size", "1")])


def test_a_recipe_of_just_is_one_script() -> None:
    (launch,) = launches_of("deploy/justfile", JUSTFILE)
    assert [word.text for word in launch.words] == ["org/wren-7b", "--port", None, "--tp", "2"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_do_not_matter(ending: str) -> None:
    for path, text in (("Makefile", MAKEFILE), ("justfile", JUSTFILE)):
        words = [word.text for launch in launches_of(path, text.replace("\n", ending)) for word in launch.words]
        assert words == [word.text for launch in launches_of(path, text) for word in launch.words]
