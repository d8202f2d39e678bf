"""Launches in the recipes of Makefiles and justfiles."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import AddOption, CannotEdit, Launch
from sglint.launch.model import Change, RemoveOption, RenameFlag, SetValue
from sglint.text import Document, Sources, apply_edits
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


def test_a_recipe_of_just_is_one_script() -> None:
    (launch,) = launches_of("deploy/justfile", JUSTFILE)
    assert [word.text for word in launch.words] == ["org/wren-7b", "--port", None, "--tp", "2"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_do_not_matter(ending: str) -> None:
    for path, text in (("Makefile", MAKEFILE), ("justfile", JUSTFILE)):
        words = [word.text for launch in launches_of(path, text.replace("\n", ending)) for word in launch.words]
        assert words == [word.text for launch in launches_of(path, text) for word in launch.words]


def changed(path: str, text: str, *changes: Change) -> str:
    """The text after the edits, which the launch in it allows."""
    (launch,) = launches_of(path, text)
    return apply_edits(text, launch.editor.edits(launch, changes))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_recipe_of_make_is_edited_in_its_layout(ending: str) -> None:
    text = MAKEFILE.replace("\n", ending)
    (launch,) = launches_of("Makefile", text)
    added = changed("Makefile", text, AddOption("--chat-template", "a$b"))
    assert added == text.replace("hostname -i)", f"hostname -i) \\{ending}\t  --chat-template 'a$$b'")
    removed = changed("Makefile", text, RemoveOption(launch.words[2:4]))
    assert removed == text.replace("  --port ${PORT} --tp", "  --tp")
    assert changed("Makefile", text, RenameFlag(launch.words[6], "--dp-size")) == text.replace("--dp ", "--dp-size ")
    last = changed("Makefile", text, RemoveOption(launch.words[2:]))
    assert last == text.replace(
        f" \\{ending}\t  --port ${{PORT}} --tp $$TP --dp $(TWICE) --host $(shell hostname -i)", ""
    )


def test_what_a_variable_of_make_gives_is_not_overwritten_where_it_is_used() -> None:
    (launch,) = launches_of("Makefile", MAKEFILE)
    with pytest.raises(CannotEdit, match="variable of the file"):
        launch.editor.edits(launch, [SetValue(launch.words[2:4], "1")])


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_recipe_of_just_is_edited_in_its_layout(ending: str) -> None:
    text = JUSTFILE.replace("--tp $TP", "--tp 2 \\\n      --dp 1").replace("\n", ending)
    (launch,) = launches_of("justfile", text)
    assert [word.text for word in launch.words][-4:] == ["--tp", "2", "--dp", "1"]
    added = changed("justfile", text, AddOption("--chat-template", "{{x"))
    assert added == text.replace("--dp 1", f"--dp 1 \\{ending}      --chat-template '{{{{{{{{x'")
    assert changed("justfile", text, SetValue(launch.words[3:5], "4")) == text.replace("--tp 2", "--tp 4")
    assert changed("justfile", text, RemoveOption(launch.words[3:5])) == text.replace(" --tp 2", "")
