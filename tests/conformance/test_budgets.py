"""Estimated budgets against every usable record of the start-up logs: three checks, each with its aim."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from sglint.data import rules_dir
from sglint.models import hardware

from .budgets.checks import CHECKS, compare, left_out, p90, row, used
from .budgets.records import LOG_FILE, Check, of_check, records

PAGE = Path(__file__).parents[2] / "docs" / "sizing.md"

# Decided before any was compared: records that print free memory and tokens, and weights.
COUNTS = {"memory": 27, "weights": 31, "end_to_end": 71, "assumed": 6}
LEAST_USED = {"memory": 7, "weights": 15, "end_to_end": 13, "assumed": 6}
WIDEST = 0.15
# Wider by nature: a pool of 3 GiB beside weights of 15 GiB; a checkpoint whose unquantized modules are not known.
WIDER = {2, 94}


def test_kept_facts_are_those_of_the_log_file() -> None:
    kept = records()
    assert len(kept) == 77
    if LOG_FILE.exists():
        printed = [json.loads(line) for line in LOG_FILE.read_text(encoding="utf-8").splitlines()]
        assert [record.id for record in kept] == [line["id"] for line in printed]
        for record, line in zip(kept, printed, strict=True):
            assert {key: line[key] for key in record.printed} == record.printed


@pytest.mark.parametrize("check", CHECKS)
def test_every_record_counts_or_says_why_not(check: Check) -> None:
    assert len(of_check(check)) == COUNTS[check]
    assert len(used(check)) >= LEAST_USED[check]
    assert len(used(check)) + len(left_out(check)) == COUNTS[check]
    assert all(reason for _, reason in left_out(check))


@pytest.mark.parametrize("check", ["memory", "end_to_end", "assumed"])
def test_inferred_fractions_do_not_count(check: Check) -> None:
    # QwQ on four L4 is read with the fraction that the code of its release has for four GPUs.
    inferred = {item.id for item in used(check) if item.printed.get("mem_fraction_source", "").startswith("inferred")}
    assert inferred <= {2}


@pytest.mark.parametrize("check", CHECKS)
def test_errors_are_small_and_every_record_is_inside(check: Check) -> None:
    compared = [compare(record, check) for record in used(check)]
    errors = [abs(item.error) for item in compared]
    assert [item.record.id for item in compared if not item.inside] == []
    assert statistics.median(errors) <= 0.02
    assert p90(errors) <= 0.08


def test_intervals_are_narrow_where_model_gpu_and_fraction_are_known() -> None:
    every = [*used("end_to_end"), *used("assumed")]
    wide = {record.id for record in every if compare(record, "end_to_end").width > WIDEST}
    assert wide == WIDER


@pytest.mark.parametrize("check", CHECKS)
def test_the_page_on_sizing_says_what_comes_out(check: Check) -> None:
    assert row(check) in PAGE.read_text(encoding="utf-8").splitlines()


def test_every_log_a_row_of_the_context_table_names_lies_in_it() -> None:
    before = {record.id: record for record in records() if "avail_mem_before_load_gb" in record.printed}
    compared = 0
    for line in (rules_dir() / "hardware" / "context.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        *_, least, likely, most, named = line.split("\t")
        assert float(least) <= float(likely) <= float(most)
        for number in named.split() if named != "-" else ():
            record = before.get(int(number))
            gpu = hardware.find(record.printed["gpu"]) if record else None
            if record is None or gpu is None or gpu.memory_mib is None:
                continue
            held = gpu.memory_mib / 1024 - record.printed["avail_mem_before_load_gb"]
            assert float(least) <= held <= float(most), (line, held)
            compared += 1
    assert compared >= 11
