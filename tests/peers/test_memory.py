"""The kept comparison with other estimators is the page's, and of today's estimates."""

from __future__ import annotations

import json

import pytest

from sglint.memory import plan
from sglint.memory.estimate import weights_of
from tests.conformance.budgets.checks import used
from tests.conformance.budgets.records import records

from .memory import BEGIN, END, GIB, KEPT, PAGE, PEERS, question, summary, table

ROWS = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]


def test_the_page_shows_the_kept_table() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown.strip() == table(json.loads(KEPT.read_text(encoding="utf-8"))).strip()


def test_every_record_of_the_checks_was_put_to_the_peers() -> None:
    wanted = {record.id for check in ("weights", "end_to_end", "assumed") for record in used(check)}
    assert {row["id"] for row in ROWS} == wanted
    assert all(summary(ROWS, what, name)[0] for what in ("weights", "tokens") for name in PEERS)


@pytest.mark.parametrize("row", ROWS, ids=[str(row["id"]) for row in ROWS])
def test_our_part_of_the_table_is_what_we_say_today(row: dict) -> None:  # type: ignore[type-arg]
    (record,) = (item for item in records() if item.id == row["id"])
    if "weights" in row:
        assert weights_of(record.facts()).value / GIB == pytest.approx(row["weights"]["sglint"], rel=0.002)
    if "tokens" in row:
        assert plan(record.facts()).max_total_num_tokens == pytest.approx(row["tokens"]["sglint"], rel=0.002)


def test_the_peers_are_told_the_whole_checkpoint() -> None:
    (record,) = (item for item in records() if item.id == 10)
    asked = question(record)
    assert asked["checkpoint_bytes"] == sum(size for *_, size in asked["tensors"])
    assert asked["checkpoint_bytes"] / asked["parameters"] == pytest.approx(1.02, abs=0.02)
