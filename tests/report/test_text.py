"""The report for people: what it says and where it points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sglint.report.run import Run
from sglint.report.style import Style, wrapped
from sglint.report.text import render, summary, verdict_lines
from sglint.rules.findings import Verdict

from .samples import ERROR, REPORT, RUN

PLAIN = Style(False, 90)

EXPECTED = """\
hint[SGL005] bad-directive
  This is no directive.
  --> deploy/start.sh:2:1
    |
  2 | # 🚀 start
    | ^^^^^^^^^^

deploy/start.sh:4:1: launch_server of openai/gpt-oss-120b, SGLang 0.5.18 (command line), h200 (directive)
  refused while the memory pools are built, after the weights are loaded (SGL101)

error[SGL101] spec-on-unified-swa-pool
  The draft model's pool is refused on the unified pool of this model.
  --> deploy/start.sh:5:2
    |
  5 |     --enable-unified-memory --speculative-algorithm DSPARK --tp-size $TP
    |     ^^^^^^^^^^^^^^^^^^^^^^^
    |                             ----------------------- asks for speculative decoding
  = strikes while the memory pools are built, after the weights are loaded, in releases
    >=0.5.18,<0.5.20; upstream check UM-SEED
  = virtual ids run to 1,361,891
  = fix (changes what the server does): Drop the unified pool
    full tokens 756,607 -> 779,959 (+3 %), sliding-window tokens none -> 623,967, with
    48.2 GiB for the pools
  = fix (to be done by hand): Move to 0.5.20: no image tag to edit

skipped big.yaml: larger than 10 MB

1 error, 1 hint in 1 launch (3 files read, 1 skipped); 2 rules could not be decided
  = 1 launch lacks the draft
`sglint explain SGL005` tells more about a rule
"""


def test_the_whole_report() -> None:
    assert "\n".join(render(RUN, PLAIN)) + "\n" == EXPECTED


def test_quiet_leaves_numbers_out_and_keeps_places_and_fixes() -> None:
    text = "\n".join(render(RUN, PLAIN, "places"))
    assert "virtual ids" not in text
    assert "upstream check" not in text
    assert "^^^^^^^^^^^^^^^^^^^^^^^" in text
    assert "= fix (changes what the server does): Drop the unified pool" in text


def test_verbose_tells_the_whole_story() -> None:
    lines = list(render(RUN, PLAIN, "all"))
    assert "  = The pool is one arena." in lines
    assert "  = virtual ids run to 1,361,891" in lines


def test_nothing_found() -> None:
    assert summary(Run((), seen=2), PLAIN) == "no findings in 0 launches (2 files read)"


def test_a_finding_behind_the_verdict_says_so() -> None:
    report = replace(REPORT, findings=(replace(ERROR, behind="SGL150"),))
    assert "  = shown although SGL150 strikes first" in list(render(Run((report,)), PLAIN))


def test_a_finding_in_a_file_that_cannot_be_read_still_names_it() -> None:
    report = replace(REPORT, findings=(replace(ERROR, path="values.yaml"),))
    assert "  --> values.yaml" in list(render(Run((report,)), PLAIN))


@pytest.mark.parametrize(
    ("verdict", "lines"),
    [
        (Verdict("accepted"), ["  accepted: nothing refuses it up to and including the memory pools"]),
        (Verdict("refused", "parse", "SGL001"), ["  refused by the argument parser (SGL001)"]),
        (Verdict("refused"), ["  refused"]),
        (Verdict("unknown", needs=("the model", "the GPU")), ["  not decided: it depends on the model; the GPU"]),
        (Verdict("unknown"), ["  not decided"]),
    ],
)
def test_verdicts_in_words(verdict: Verdict, lines: list[str]) -> None:
    assert list(verdict_lines(verdict, PLAIN)) == lines


def test_a_long_verdict_is_wrapped() -> None:
    lines = list(verdict_lines(Verdict("unknown", needs=("what is not known",) * 9), PLAIN))
    assert len(lines) > 1
    assert all(line.startswith("  ") and len(line) <= PLAIN.width for line in lines)


def test_colour_only_adds_escapes() -> None:
    import re

    coloured = "\n".join(render(RUN, Style(True, 90))) + "\n"
    assert coloured != EXPECTED
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == EXPECTED


def test_a_message_cannot_send_orders_to_the_terminal() -> None:
    report = replace(REPORT, findings=(replace(ERROR, message="a \x1b[2J b"),))
    assert not any("\x1b" in line for line in render(Run((report,)), PLAIN))


def test_wrapping_counts_columns_not_characters() -> None:
    assert wrapped("漢字 漢字 漢字", 10) == ["漢字 漢字", "漢字"]
    assert wrapped("one\n\ntwo", 10, "  ") == ["  one", "", "  two"]
