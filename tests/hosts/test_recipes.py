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
    sglang serve {{model}} --port {{port}} --tp $TP
"""


def launches_of(path: str, text: str) -> tuple[Launch, ...]:
    language = language_of(path)
    assert language is not None
    return hosts.read(Document(path, text, language), Sources.none()).launches


def test_a_recipe_is_a_script_with_makes_own_variables_filled_in() -> None:
    (launch,) = launches_of("Makefile", MAKEFILE)
    texts = [word.text for word in launch.words]
    assert texts == ["--model-path", "org/wren-7b", "--port", "30000", "--tp", None, "--dp", "2", "--host", None]
    assert [MAKEFILE[word.span.start : word.span.end] for word in launch.words[1::2]] == [
        "$(MODEL)",
        "${PORT}",
        "$$TP",
        "$(TWICE)",
        "$(shell hostname -i)",
    ]


def test_a_recipe_of_just_is_one_script() -> None:
    (launch,) = launches_of("deploy/justfile", JUSTFILE)
    assert [word.text for word in launch.words] == ["org/wren-7b", "--port", "30000", "--tp", "2"]


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


def words_of(path: str, text: str) -> list[str]:
    """The words of all launches, one launch a string: ``*`` for a hole, ``_`` for one that is not known."""
    return [
        " ".join("*" if word.many else "_" if word.text is None else word.text for word in launch.words)
        for launch in launches_of(path, text)
    ]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        # As GNU Make 4.3 expands `$(X)` in a recipe below these lines.
        ("X := --a 1\nX += --b 2", "--a 1 --b 2"),
        ("X = --a $(Y)\nY = 1", "--a 1"),
        ("Y = 1\nX := --a $(Y)\nY = 2", "--a 1"),
        ("Y = 1\nX = --a $(Y)\nY = 2", "--a 2"),
        ("X = 1\nX = 2", "2"),
        ("X ?= 1\nX ?= 2", "1"),
        ("X = 1 # not 2", "1"),
        ("X = a\\#b", "a#b"),
        ("X = --a 1 \\\n  --b 2", "--a 1 --b 2"),
        ("override X := 1", "1"),
        ("X ::= 1", "1"),
        ("X = $$Y", "_"),
        # What a condition, a program, the environment or one target decides.
        ("ifdef A\nX = 1\nendif", "*"),
        ("ifeq ($(A),b)\nX = 1\nelse\nX = 2\nendif", "*"),
        ("X != date", "*"),
        ("X = $(shell date)", "*"),
        ("X = 1\nserve: X = 2", "*"),
        ("define X\n1\nendef", "*"),
        ("", "*"),
        ("X = $(Y)\nY = $(X)", "*"),
    ],
)
def test_variables_of_make(setting: str, expected: str) -> None:
    assert words_of("Makefile", f"{setting}\nserve:\n\tsglang serve m $(X)\n") == [f"m {expected}".replace("_", "*")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sglang serve m --tp-size $(TP)", "m --tp-size _"),
        ("sglang serve m --trust-remote-code $(MORE)", "m --trust-remote-code *"),
        ('sglang serve m "$(MORE)"', "m _"),
        ("sglang serve m --port=$(PORT)", "m --port=_".replace("--port=_", "_")),
        ("sglang serve m $(if $(A),--b c,)", "m *"),
    ],
)
def test_what_make_does_not_tell_may_be_any_number_of_words(line: str, expected: str) -> None:
    assert words_of("Makefile", f"serve:\n\t{line}\n") == [expected]


def test_recipes_of_make_in_one_line_and_in_one_shell() -> None:
    assert words_of("Makefile", "a: b ; @sglang serve m\nb:\n\t+sglang serve n\n") == ["m", "n"]
    text = "a:\n\tM=m\n\t@sglang serve $$M\n"
    assert words_of("Makefile", text) == ["*"]
    assert words_of("Makefile", f".ONESHELL:\n{text}".replace("@", "")) == ["m"]
    assert words_of("Makefile", ".ONESHELL:\na:\n\t@M=m\n\tsglang serve $$M\n\nb:\n\tsglang serve $$M\n") == ["m", "*"]


def test_exported_variables_of_make_are_the_environment() -> None:
    (launch,) = launches_of(
        "Makefile", "export CUDA_VISIBLE_DEVICES := 0,1\nB = 2\nexport B\nC = 3\na:\n\tsglang serve $$B $$C\n"
    )
    assert launch.gpu_count is not None and launch.gpu_count.value == 2
    assert [word.text for word in launch.words] == ["2", None]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('x := "--a 1"\nserve:', "--a 1"),
        ("x := '--a 1' # why\nserve:", "--a 1"),
        ('x := "--a" + " 1"\nserve:', "--a 1"),
        ('y := "1"\nx := "--a " + y\nserve:', "--a 1"),
        ("x := env_var_or_default('X', '1')\nserve:", "1"),
        ('x := env("X", "1")\nserve:', "1"),
        ('x := "a\\tb"\nserve:', "a b"),
        ("x := `date`\nserve:", "*"),
        ("x := env('X')\nserve:", "*"),
        ("x := uppercase('a')\nserve:", "*"),
        ('x := if a == b { "1" } else { "2" }\nserve:', "*"),
        ('x := "a" / "b"\nserve:', "*"),
        # Parameters win over what the file sets.
        ('x := "1"\nserve x:', "*"),
        ('x := "1"\nserve x="2":', "2"),
        ("y := '2'\nserve z=y x=z:", "2"),
        ("serve *x:", "*"),
        ("serve +x='1 2':", "1 2"),
        ("@serve $x='1' y='2': dep (other y)", "1"),
    ],
)
def test_variables_and_parameters_of_just(head: str, expected: str) -> None:
    assert words_of("justfile", f"{head}\n    sglang serve m {{{{x}}}}\n") == [f"m {expected}"]


def test_lines_of_just_are_scripts_of_their_own_unless_an_interpreter_reads_them() -> None:
    lines = "    M=m\n    sglang serve $M \\\n      --tp 1\n"
    assert words_of("justfile", f"a:\n{lines}") == ["* --tp 1"]
    assert words_of("justfile", f"a:\n    #!/usr/bin/env bash\n{lines}") == ["m --tp 1"]
    assert words_of("justfile", "a:\n    #!/usr/bin/env python3\n    sglang serve m\n") == []
    array = '    #!/bin/bash\n    A=(\n      --tp 1\n    )\n    sglang serve m "${A[@]}"\n'
    assert words_of("justfile", f"a:\n{array}") == ["m --tp 1"]
    assert words_of("justfile", "a:\n    -@sglang serve m --x {{{{ y\n") == ["m --x {{ y"]


def test_exported_variables_of_just_are_the_environment() -> None:
    text = "export CUDA_VISIBLE_DEVICES := '0,1'\nn := '3'\na $m='m':\n    sglang serve $m $n\n"
    (launch,) = launches_of("justfile", text)
    assert launch.gpu_count is not None and launch.gpu_count.value == 2
    assert [word.text for word in launch.words] == ["m", None]
    assert words_of("justfile", text.replace("export CUDA", "set export\nCUDA")) == ["m 3"]
