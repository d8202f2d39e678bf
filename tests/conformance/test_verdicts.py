"""Verdicts equal what the released code says, refusal by refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from sglint.facts import Unknown
from sglint.lint.verdict import judged

from . import coverage, verdicts

KEPT = verdicts.kept()
FEWEST_DECIDED = 0.97
FEWEST_A_SECOND = 500


def agree(result: verdicts.Agreement) -> None:
    assert result.wrong == []
    assert result.decided >= FEWEST_DECIDED * result.seen
    assert result.checks + result.open == result.refused
    assert result.open <= result.refused * 0.01


@pytest.mark.parametrize("path", [*KEPT, *filter(Path.is_file, [verdicts.SHARED])], ids=lambda path: path.name)
def test_every_vector_of_a_file(path: Path) -> None:
    vectors = list(verdicts.read([path]))
    assert len({vector["version"] for vector in vectors}) == 9
    agree(verdicts.compare(vectors))


def test_every_check_has_a_vector_or_a_reason() -> None:
    assert coverage.unexplained(coverage.met(KEPT)) == []


def test_kept_vectors_of_speculation_on_the_unified_pool() -> None:
    vectors = [vector for vector in verdicts.read(KEPT) if verdicts.speculates_on_unified_memory(vector)]
    assert len(vectors) > 100
    agree(verdicts.compare(vectors))


def test_resolved_attention_backends_of_kept_vectors() -> None:
    vectors = [vector for vector in verdicts.read(KEPT) if vector.get("attention_backends")]
    assert len(vectors) > 100
    for vector in vectors:
        _, facts, _ = judged(verdicts.case_of(vector))
        backends = facts.look("resolved.attention_backends")
        assert not isinstance(backends, Unknown)
        assert list(backends) == vector["attention_backends"], vector


def test_a_verdict_is_quick() -> None:
    result = verdicts.compare(verdicts.read(KEPT), advice=False)
    assert result.seen / result.seconds >= FEWEST_A_SECOND
