"""A script is read in parts that are kept, and what has no part in a launch is passed by; no answer depends on it."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings

from sglint import hosts
from sglint.hosts import shell_inert, shell_parts, shell_syntax
from sglint.hosts.embedding import Embedding
from sglint.hosts.shell_parts import parts_of
from sglint.launch import Reading
from sglint.text import Document, Mapped, Sources

from ..bench.texts import script
from .extraction import cases
from .mangling import mangled
from .script_maker import make_script

WRITTEN = [case.text for case in cases("shell", "slurm")]
MADE = [make_script(number) for number in range(120)]
LONG = "\n\n".join([*WRITTEN[:40], *MADE[:20]])
PIECES = [
    "\n\n",
    "\n\nX=1\n",
    "'",
    '"',
    "$(",
    ")",
    "fi\n",
    "\nfi\n",
    "}\n",
    "f() {\n",
    "<<EOF\n",
    "EOF\n",
    "\\\n",
    "#",
    "\r\n",
]


def read(text: str) -> Reading:
    return hosts.read(Document("a.sh", text, "shell"), Sources.none())


def shape(reading: Reading) -> object:
    """A reading without what is an object's own: scripts and editors."""
    launches = [
        (
            launch.launcher,
            launch.span,
            launch.launcher_span,
            launch.env,
            launch.release,
            launch.gpu_count,
            [(w.text, w.span, w.presence, w.many, w.defined_at, w.used_at, w.unknown) for w in launch.words],
        )
        for launch in reading.launches
    ]
    return launches, reading.not_launches, reading.problems


def statements(text: str) -> list[tuple[int, int, str]]:
    placed = shell_parts.parts_of(Embedding(Mapped.identity(text)))
    return [
        (item.start + node.start_byte, item.start + node.end_byte, node.type)
        for item in placed
        for node in item.part.statements
    ]


def whole(text: str) -> list[tuple[int, int, str]]:
    return [(node.start_byte, node.end_byte, node.type) for node in shell_syntax.parse(text).named_children]


@pytest.mark.parametrize("text", [script(900), LONG, *WRITTEN], ids=lambda text: f"{len(text)} characters")
def test_the_statements_of_the_parts_are_those_of_the_whole(text: str) -> None:
    if not shell_syntax.parse(text.replace("\r", " ")).has_error:
        assert statements(text.replace("\r", " ")) == whole(text.replace("\r", " "))


@pytest.mark.parametrize("text", [script(900), LONG, *WRITTEN, *MADE], ids=lambda text: f"{len(text)} characters")
def test_statements_that_are_passed_by_change_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shape(read(text))
    monkeypatch.setattr(shell_inert, "is_inert", lambda text, names: False)
    monkeypatch.setattr(shell_parts, "all_may_matter", lambda text: True)
    assert shape(read(text)) == found


@settings(derandomize=True, deadline=None, max_examples=150)
@given(mangled([LONG, *WRITTEN, *MADE], PIECES))
def test_a_changed_script_is_read_as_if_it_were_new(text: str) -> None:
    found = shape(read(text))
    shell_parts.forget_all()
    assert shape(read(text)) == found


def test_typing_reads_as_afresh() -> None:
    dice = random.Random(7)
    text = LONG
    for _ in range(40):
        at = dice.randrange(len(text))
        text = text[:at] + dice.choice(["x", "\n", " ", "--tp 2", "", "'", "X=1\n\n"]) + text[at + dice.randrange(3) :]
        found = shape(read(text))
        shell_parts.forget_all()
        assert shape(read(text)) == found


def test_a_key_press_parses_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    text = script(900)
    read(text)
    at = text.index("creating", len(text) // 2)
    parsed: list[str] = []
    parse = shell_syntax.parse

    def noted(part: str) -> object:
        parsed.append(part)
        return parse(part)

    monkeypatch.setattr(shell_parts, "parse", noted)
    read(text[:at] + "x" + text[at:])
    assert [part.count("\n") < 60 and "xcreating" in part for part in parsed] == [True]


LAUNCH = 'sglang serve --model-path "$M" --tp 2\n'


@pytest.mark.parametrize(
    "line",
    [
        'export A="${A:-$((32 << 30))}"',
        ": ${A:=$((1<<3))} ${B:-$(( (C << 2) + 1 ))}",
        'exec 3<>"/dev/tcp/$H/1"',
        '(exec 3<>"/dev/tcp/$H/1") 2>/dev/null || exec 9<>lock',
        "local d=$((x[((i - 1) * (n + 1) + j)] + 1))",
    ],
)
def test_what_the_parser_does_not_take_costs_no_launch(line: str) -> None:
    text = f"f() {{\n  {line}\n  M=m\n  {LAUNCH}}}\nf\n"
    (launch,) = hosts.read(Document("a.sh", text, "shell"), Sources.none()).launches
    assert [word.text for word in launch.words] == ["--model-path", "m", "--tp", "2"]


def test_branches_of_a_thousand_lines_belong_together() -> None:
    step = "    echo 'one more step of this mode'\n" * 400
    text = f"M=a\nif [ $ROLE = x ]; then\n{step}\n    M=b\n\n{step}else\n{step}\n    M=c\nfi\n\n{LAUNCH}"
    (launch,) = hosts.read(Document("a.sh", text, "shell"), Sources.none()).launches
    assert [word.text for word in launch.words] == ["--model-path", None, "--tp", "2"]
    assert len(parts_of(Embedding(Mapped.identity(text)))) <= 3


def test_many_broken_stretches_are_not_looked_at_from_afar() -> None:
    text = ("if a; then (\n" + "  echo 1\n\n" * 400) * 40 + LAUNCH
    start = time.process_time()
    hosts.read(Document("a.sh", text, "shell"), Sources.none())
    assert time.process_time() - start < 20
