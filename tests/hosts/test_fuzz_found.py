"""What fuzzing found once, in its smallest form: each used to hang, to grow without bound or to fail."""

from __future__ import annotations

import time

from sglint import hosts
from sglint.launch import Reading
from sglint.text import Document, Sources

SECONDS = 10.0
"""Far above what is needed, so that a busy machine does not fail; what is guarded against needs hours."""


def reading_of(path: str, text: str, language: str, **others: str) -> Reading:
    start = time.process_time()
    files = {name.replace("_", "."): content for name, content in others.items()}
    reading = hosts.read(Document(path, text, language), Sources(files.get, names=lambda folder: sorted(files)))
    assert time.process_time() - start < SECONDS
    assert [problem.message for problem in reading.problems if problem.code == "SGL000"] == []
    return reading


def test_many_blank_lines_in_two_notations_before_a_document() -> None:
    text = "# sglang\n" + "\r\n" * 2_000 + "}\n---\nargs: [--model-path, m]\n"
    (problem,) = reading_of("a.yaml", text, "yaml").problems
    assert problem.code == "SGL001"


def test_a_next_line_sign_is_part_of_a_compose_word() -> None:
    text = (
        "services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n"
        "    command: python3 -m sglang.launch_server --model-path ${M}\n"
    )
    (launch,) = reading_of("compose.yaml", text, "yaml", _env="M=a\x85b\u2028c\n").launches
    assert [word.text for word in launch.words] == ["--model-path", "a\x85b\u2028c"]


def test_a_thousand_unknown_words_before_a_program() -> None:
    unit = "[Service]\nExecStart=" + "$A " * 5_000 + "python3 -m sglang.launch_server --model-path m\n"
    (launch,) = reading_of("a.service", unit, "systemd").launches
    assert [word.text for word in launch.words] == ["--model-path", "m"]
    assert reading_of("a.service", "[Service]\nExecStart=" + "$A exec " * 5_000 + "sglang\n", "systemd").launches == ()


def test_an_anchor_that_holds_an_alias_of_itself() -> None:
    text = "x: &x\n  image: sglang\n  prefill:\n    <<: *x\n    command: [sglang, serve, --tp, '2']\n    more: *x\n"
    (launch,) = reading_of("a.yaml", text, "yaml").launches
    assert [word.text for word in launch.words] == ["--tp", "2"]


def test_services_that_extend_a_thousand_others_in_a_ring() -> None:
    services = "".join(f"  s{n}:\n    image: sglang\n    extends: s{(n + 1) % 1_000}\n" for n in range(1_000))
    text = f"services:\n{services}  a:\n    command: python3 -m sglang.launch_server --tp 2\n"
    assert len(reading_of("compose.yaml", text, "yaml").launches) == 1


def test_files_of_services_that_extend_each_other_all() -> None:
    def services(other: str) -> str:
        each = "".join(
            f"  s{n}:\n    image: sglang\n    extends: {{file: {other}, service: s{n}}}\n" for n in range(40)
        )
        return f"services:\n{each}  a:\n    command: python3 -m sglang.launch_server --tp 2\n"

    others = {f"b{n}_yml": services(f"b{n + 1}.yml") for n in range(8)}
    assert len(reading_of("compose.yaml", services("b0.yml"), "yaml", **others).launches) == 1


def test_a_word_of_a_unit_with_many_variables_and_a_makefile_of_many_recipes() -> None:
    unit = "[Service]\nExecStart=sglang serve --model-path m" + "$A.%i" * 20_000 + "\n"
    assert len(reading_of("a.service", unit, "systemd").launches) == 1
    make = "".join(f"A{n} = 1\n" for n in range(3_000)) + "a:\n" + "\techo $(A1)\n" * 500 + "\tsglang serve --tp 2\n"
    assert len(reading_of("Makefile", make, "makefile").launches) == 1
