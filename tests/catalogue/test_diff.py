"""What changes from one release to another."""

from __future__ import annotations

from sglint import catalogue


def test_the_great_removal_of_0_5_20() -> None:
    found = catalogue.diff("0.5.19", "0.5.20")
    assert len(found.removed) == 23
    assert {"--cuda-graph-max-bs", "--nsa-prefill-backend", "--mamba-scheduler-strategy"} <= set(found.removed)


def test_a_removed_name_may_become_an_ambiguous_abbreviation() -> None:
    ambiguous = dict(catalogue.diff("0.5.19", "0.5.20").ambiguous)
    assert ambiguous["--cuda-graph-max-bs"] == ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")


def test_defaults_that_change_silently_are_named() -> None:
    changes = {(change.name, change.field): change for change in catalogue.diff("0.5.19", "0.5.20").changed}
    change = changes["--swa-full-tokens-ratio", "default"]
    assert (change.before, change.after) == (0.8, None)


def test_a_release_does_not_differ_from_itself() -> None:
    found = catalogue.diff("0.5.18", "0.5.18")
    assert (found.added, found.removed, found.ambiguous, found.changed) == ((), (), (), ())


def test_added_and_removed_swap_with_the_direction() -> None:
    there, back = catalogue.diff("0.5.17", "0.5.18"), catalogue.diff("0.5.18", "0.5.17")
    assert (set(there.added), set(there.removed)) == (set(back.removed), set(back.added))
