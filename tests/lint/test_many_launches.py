"""Files of many launches: trying a fix judges one launch, and what adds up beyond that is bounded and said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sglint.lint import engine, fixes, lint
from sglint.lint.fixing import fix_text
from sglint.lint.known import content
from sglint.lint.launches import judge_launch
from sglint.settings import Settings
from sglint.text import Document, Sources, apply_edits

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p{number}}}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      command: [python3, -m, sglang.launch_server]
      args:
        - --model-path
        - org/wren-7b
        - --tp-sise
        - "{number}"
"""


def pods(count: int) -> Document:
    return Document("pods.yaml", "---\n".join(POD.format(number=number + 1) for number in range(count)), "yaml")


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    judged: list[int] = []

    def counting(launch: Any, number: int, *rest: Any) -> Any:
        judged.append(number)
        return judge_launch(launch, number, *rest)

    with monkeypatch.context() as patch:
        patch.setattr("sglint.lint.engine.judge_launch", counting)
        yield judged


def test_a_trial_judges_the_launch_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    with counted(monkeypatch) as judged:
        report = lint(pods(8), Settings())
    offered = [fix for finding in report.findings for fix in finding.fixes if fix.edits]
    assert len(offered) == 8
    assert len(judged) == 8 + len(offered)


def test_what_is_told_again_is_what_a_new_look_finds() -> None:
    """Fixes offered in a file of several are those offered in a file of one."""
    several = lint(pods(3), Settings())
    for number in range(3):
        alone = lint(Document("pods.yaml", POD.format(number=number + 1), "yaml"), Settings())
        own = [finding for finding in several.findings if finding.launch == number]
        assert [(one.code, one.severity, [fix.title for fix in one.fixes]) for one in own] == [
            (one.code, one.severity, [fix.title for fix in one.fixes]) for one in alone.findings
        ]


def test_a_launch_says_the_same_wherever_it_stands() -> None:
    document = pods(3)
    moved = Document(document.path, "# moved\n\n" + document.text, document.language)
    changed = Document(document.path, document.text.replace('"2"', '"4"'), document.language)
    before, after, other = (
        [content(judged.launch) for judged in lint(one, Settings(), fixes=False).judged]
        for one in (document, moved, changed)
    )
    assert before == after
    assert [one == two for one, two in zip(before, other, strict=True)] == [True, False, True]


def test_trials_come_to_an_end_and_the_report_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixes, "MOST_COMPARED", 8 * 2)
    report = lint(pods(8), Settings())
    notes = [finding for finding in report.findings if finding.code == fixes.NOT_TRIED]
    fixed = [bool(finding.fixes) for finding in report.findings if finding.code == "SGL020"]
    assert fixed == [True, True] + [False] * 6
    assert [note.severity for note in notes] == ["info"]
    assert notes[0].span == [finding for finding in report.findings if finding.code == "SGL020"][2].span
    assert not any(one.code == fixes.NOT_TRIED for one in lint(pods(8), Settings(ignore=("SGL018",))).findings)


def test_fixing_mends_each_launch_in_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[str] = []
    original = engine.lint

    def counting(document: Document, *rest: Any, **named: Any) -> Any:
        rounds.append(document.text)
        return original(document, *rest, **named)

    monkeypatch.setattr(engine, "lint", counting)
    text, done = fix_text(pods(8), Settings(), Sources.none(), unsafe=True)
    assert text == pods(8).text.replace("--tp-sise", "--tp-size")
    assert len(done) == 8
    assert len(rounds) == 3


def test_fixes_that_do_not_work_together_are_made_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where applying all at once would bring an error, the first is applied alone and the rest looked at anew."""
    document = pods(2)
    original = engine.lint

    def spoiling(text: Document, *rest: Any, **named: Any) -> Any:
        report = original(text, *rest, **named)
        if named.get("fixes") is False and text.text.count("--tp-size") == 2:
            again = original(document, *rest, fixes=False)
            doubled = (*report.findings, *again.findings, *again.findings)
            return type(report)(report.document, report.judged, doubled)
        return report

    monkeypatch.setattr(engine, "lint", spoiling)
    text, done = fix_text(document, Settings(), Sources.none(), unsafe=True)
    assert text == document.text.replace("--tp-sise", "--tp-size")
    assert len(done) == 2


def test_each_offered_fix_still_works_by_itself() -> None:
    document = pods(3)
    for finding in lint(document, Settings()).findings:
        for fix in finding.fixes:
            text = apply_edits(document.text, fix.edits)
            left = lint(Document(document.path, text, document.language), Settings(), fixes=False).findings
            assert [one.launch for one in left if one.code == finding.code] == [
                number for number in range(3) if number != finding.launch
            ]
