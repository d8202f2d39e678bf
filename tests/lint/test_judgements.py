"""Judgements are kept by what decides them: a launch that moved is told at its new place, and anything else anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sglint.lint import judgements, lint
from sglint.settings import Settings
from sglint.text import Document

REFUSED = (
    "# sglint: file release=0.5.18 gpu=h200\n"
    "python -m sglang.launch_server --model-path openai/gpt-oss-120b --attention-backend triton \\\n"
    "  --enable-unified-memory --speculative-algorithm DSPARK --nonsense\n"
)


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    judgements._kept.clear()
    yield
    judgements._kept.clear()


def told(text: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    report = lint(Document("run.sh", text, "shell"), Settings(), fixes=False)
    return [
        (finding.code, finding.message, text[finding.span.start : finding.span.end], finding.needs)
        for finding in report.findings
    ]


def test_a_launch_that_moved_is_told_at_its_new_place() -> None:
    first = told(REFUSED)
    kept = list(judgements._kept)
    assert told("#!/bin/sh\n\n" + REFUSED) == first
    assert list(judgements._kept) == kept
    assert any(code == "SGL101" and word == "--enable-unified-memory" for code, _, word, _ in first)


@pytest.mark.parametrize(
    "change",
    [
        ("release=0.5.18", "release=0.5.23"),
        ("gpu=h200", "gpu=b200"),
        ("gpt-oss-120b", "gpt-oss-20b"),
        ("triton", "fa3"),
        ("--nonsense", "--nonesuch"),
        ("python -m", "SGLANG_ENABLE_UNIFIED_MEMORY=1 python -m"),
        ("DSPARK", "$DRAFTS"),
    ],
)
def test_what_decides_makes_another_judgement(change: tuple[str, str]) -> None:
    changed = REFUSED.replace(*change)
    alone = told(changed)
    judgements._kept.clear()
    told(REFUSED)
    assert told(changed) == alone
    assert len(judgements._kept) == 2


def test_no_more_than_a_bound_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgements, "MOST_KEPT", 3)
    for port in range(30000, 30006):
        told(REFUSED.replace("--nonsense", f"--port {port}"))
    assert len(judgements._kept) == 3
