"""Old and foreign names, and what to write instead."""

import pytest

from sglint import catalogue, knowledge
from sglint.knowledge import Target, names

NEWEST = catalogue.releases()[-1]


@pytest.mark.parametrize(
    ("written", "release", "wanted"),
    [
        ("--cuda-graph-max-bs", "0.5.23", ["--cuda-graph-max-bs-decode"]),
        ("--mamba-scheduler-strategy", "0.5.20", ["--mamba-radix-cache-strategy"]),
        ("--nsa-prefill-backend", "0.5.23", ["--dsa-prefill-backend"]),
        ("--disable-piecewise-cuda-graph", "0.5.21", ["--cuda-graph-backend-prefill=disabled"]),
        ("--enable-nsa-prefill-context-parallel", "0.5.22", ["--enable-prefill-cp"]),
        ("--keep-mm-feature-on-device", "0.5.21", ["--mm-feature-transport=cuda_ipc"]),
    ],
)
def test_a_removed_flag_has_its_successor(written: str, release: str, wanted: list[str]) -> None:
    found = knowledge.rename(written, release)
    assert found is not None
    assert [target.text for target in found.targets] == wanted


def test_a_flag_the_release_still_has_is_not_renamed() -> None:
    assert knowledge.rename("--cuda-graph-max-bs", "0.5.19") is None


def test_a_release_before_the_flag_does_not_hear_of_its_removal() -> None:
    assert knowledge.rename("--mamba-scheduler-strategy", "0.5.6") is None


def test_renames_are_followed_as_far_as_the_release_goes() -> None:
    early, late = (knowledge.rename("--nsa-prefill", release) for release in ("0.5.5", NEWEST))
    assert early and early.targets == (Target("--nsa-prefill-backend"),)
    assert late and late.targets == (Target("--dsa-prefill-backend"),)


def test_a_value_that_is_gone_too_is_replaced_on_the_way() -> None:
    then, now = (knowledge.rename("--enforce-piecewise-cuda-graph", release) for release in ("0.5.20", "0.5.22"))
    assert then and then.targets == (Target("--cuda-graph-backend-prefill", "tc_piecewise"),)
    assert now and now.targets == (Target("--cuda-graph-backend-prefill", "breakable"),)


def test_values_are_translated_where_the_meaning_moved() -> None:
    found = knowledge.rename("--nsa-prefill-cp-mode", "0.5.20")
    assert found and found.values["round-robin-split"] == "interleave"


def test_every_removed_name_was_last_seen_where_the_data_says() -> None:
    wrong = {}
    for written, entry in names._renames()["removed"].items():
        seen = knowledge.first_last(written)
        if seen is None or seen[1] != entry["last"]:
            wrong[written] = seen
    assert wrong == {}


def test_no_name_that_vanished_is_missing() -> None:
    newest = catalogue.load(NEWEST).by_name
    vanished = {name for release in catalogue.releases() for name in catalogue.load(release).by_name} - set(newest)
    assert vanished - set(names.removed_names()) == set()


def test_every_successor_is_a_flag_of_a_later_release_with_that_value() -> None:
    order = catalogue.releases()
    lost = []
    for written, entry in names._renames()["removed"].items():
        later = order[order.index(entry["last"]) + 1 :]
        found = [(release, knowledge.rename(written, release)) for release in later]
        if entry.get("to") and not any(renamed and renamed.targets for _, renamed in found):
            lost.append(written)
        for release, renamed in found:
            assert renamed is not None, (written, release)
            for target in renamed.targets:
                flag = catalogue.load(release).by_name[target.flag]
                assert target.value is None or not flag.choices or target.value in flag.choices, (written, release)
    assert lost == []


def test_names_that_stood_side_by_side_set_the_same_argument() -> None:
    """Where a release had the old and the new name, they are two spellings, or a hook of it joins them."""
    joined_by_a_hook = {"enable_prefill_cp", "cp_strategy", "ep_join_mode", "mm_feature_transport"}
    wrong = []
    for written, entry in names._renames()["removed"].items():
        table = catalogue.load(entry["last"]).by_name
        old = table[written]
        for target in map(Target.parse, entry.get("to", ())):
            new = table.get(target.flag)
            if new is None or old.action in ("refuse", "ignore") or new.dest in joined_by_a_hook:
                continue
            same = old.takes_value == new.takes_value if target.value is None else old.const == target.value
            if old.dest != new.dest or not same:
                wrong.append((written, target))
    assert wrong == []


def test_deprecated_flags_of_the_newest_release_have_advice() -> None:
    silent = [
        flag.names[0]
        for flag in catalogue.load(NEWEST).flags
        if flag.deprecated and all(knowledge.deprecation(name, NEWEST) is None for name in flag.names)
    ]
    assert silent == []


def test_foreign_flags_name_their_program_and_counterpart() -> None:
    found = knowledge.foreign("--max-model-len", NEWEST)
    assert found is not None
    assert (found.program, found.target, found.same) == ("vLLM", Target("--context-length"), True)


def test_a_counterpart_is_named_as_the_release_names_it() -> None:
    old, new = (knowledge.foreign("--cudagraph-capture-sizes", release) for release in ("0.5.10", NEWEST))
    assert old and old.target == Target("--cuda-graph-bs")
    assert new and new.target == Target("--cuda-graph-bs-decode")
    missing = knowledge.foreign("--enable-dbo", "0.4.0")
    assert missing and missing.target is None


def test_no_foreign_flag_is_one_of_the_newest_release_and_every_counterpart_is() -> None:
    table = catalogue.load(NEWEST)
    for written in names.foreign_names():
        found = knowledge.foreign(written, NEWEST)
        assert found is not None
        assert written not in table.by_name
        assert found.target is None or found.target.flag in table.by_name, written


def test_values_of_other_habits_are_translated_to_accepted_ones() -> None:
    assert knowledge.value_rename("--kv-cache-dtype", "fp8", NEWEST) == "fp8_e4m3"
    assert knowledge.value_rename("--cuda-graph-backend-prefill", "tc_piecewise", "0.5.21") is None
    assert knowledge.value_rename("--cuda-graph-backend-prefill", "tc_piecewise", "0.5.22") == "breakable"


def test_every_value_rename_ends_at_an_accepted_value() -> None:
    table = catalogue.load(NEWEST)
    for entry in names._renames()["value"]:
        for flag in entry["flags"]:
            choices = table.by_name[flag].choices
            for old, new in entry["values"].items():
                assert choices is None or new in choices, (flag, old, new)
                assert choices is None or old not in choices, (flag, old)
