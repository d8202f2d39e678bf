"""Pool sizes equal what released SGLang computed, integer by integer."""

from __future__ import annotations

import pytest

from .pool_vectors import KINDS, MIXED, Line, differences, is_recording_gap, read

LINES = tuple(read())
MIXED_LINES = tuple(read(MIXED))
KINDS_LINES = tuple(read(KINDS))
RELEASES = tuple(dict.fromkeys(line["version"] for line in LINES))

_MOVED_BY_A_DRAFT = {
    "allocator_size",
    "allocator_size_full",
    "allocator_size_swa",
    "cell_bytes",
    "draft_rows",
    "full_tokens",
    "max_total_num_tokens",
    "pool_size",
    "swa_tokens",
}


@pytest.mark.parametrize("release", RELEASES)
def test_every_recorded_number_of_a_release_is_equal(release: str) -> None:
    compared = [line for line in LINES if line["version"] == release and not is_recording_gap(line)]
    wrong = {_name(line): found for line in compared if (found := differences(line))}
    assert wrong == {}


@pytest.mark.parametrize("release", RELEASES)
def test_every_number_of_mixed_options_is_equal(release: str) -> None:
    wrong = {_name(line): found for line in MIXED_LINES if line["version"] == release and (found := differences(line))}
    assert wrong == {}


@pytest.mark.parametrize("kind", sorted({line["kind"] for line in KINDS_LINES}))
def test_every_number_of_a_rarer_kind_of_pool_is_equal(kind: str) -> None:
    wrong = {_name(line): found for line in KINDS_LINES if line["kind"] == kind and (found := differences(line))}
    assert wrong == {}


def test_recording_gaps_differ_only_by_the_draft_the_recording_lacked() -> None:
    gaps = [line for line in LINES if is_recording_gap(line)]
    assert len(gaps) == 2
    for line in gaps:
        found = differences(line)
        recorded, ours = found["max_total_num_tokens"]
        assert ours < recorded
        assert set(found) <= _MOVED_BY_A_DRAFT


def test_count_of_compared_lines(capsys: pytest.CaptureFixture[str]) -> None:
    compared = [line for line in LINES if not is_recording_gap(line)]
    accepted = sum(line["verdict"] == "accept" for line in compared)
    mixed = sum(line["verdict"] == "accept" for line in MIXED_LINES)
    kinds = sum(line["verdict"] == "accept" for line in KINDS_LINES)
    with capsys.disabled():
        print(f"\npools: {accepted} accepted and {len(compared) - accepted} refused lines compared, 2 gaps left out")
        print(f"pools, mixed options: {mixed} accepted and {len(MIXED_LINES) - mixed} refused lines compared")
        print(f"pools, rarer kinds: {kinds} accepted and {len(KINDS_LINES) - kinds} refused lines compared")
    assert (accepted, len(compared) - accepted) == (1114, 59)
    assert (kinds, len(KINDS_LINES) - kinds) == (308, 21)


def _name(line: Line) -> str:
    return f"{line['version']} {line['model_config']} {' '.join(line['argv'])} rest={line['rest_bytes']}"
