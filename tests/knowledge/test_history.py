"""When flags came, changed and went; what they mean; which variables are read."""

from sglint import catalogue, knowledge
from sglint.knowledge import help as sentences
from sglint.knowledge import names

NEWEST = catalogue.releases()[-1]


def test_a_flag_has_a_first_and_a_last_release() -> None:
    assert knowledge.first_last("--mamba-scheduler-strategy") == ("0.5.7", "0.5.19")
    assert knowledge.first_last("--model-path") == (catalogue.releases()[0], NEWEST)
    assert knowledge.first_last("--frobnicate") is None


def test_history_agrees_with_the_tables_of_the_releases() -> None:
    for name in ("--page-size", "--hicache-mem-layout", "--tp-size", "--disable-cuda-graph"):
        found = knowledge.history(name)
        assert found is not None
        assert found.releases == tuple(
            release for release in catalogue.releases() if name in catalogue.load(release).by_name
        )


def test_changes_of_a_default_are_dated() -> None:
    found = knowledge.history("--page-size")
    assert found is not None
    change = found.last_change("default", NEWEST)
    assert change is not None
    assert (change.before, change.after) == (1, None)
    assert found.last_change("default", "0.4.9") is None


def test_the_sentences_are_of_flags_that_exist_or_existed() -> None:
    dests = {dest for release in catalogue.releases() for dest in catalogue.load(release).by_dest}
    assert set(sentences.sentences()) - dests == set()


def test_most_flags_of_the_newest_release_and_all_common_ones_have_a_sentence() -> None:
    explained = [flag for flag in catalogue.load(NEWEST).flags if knowledge.explain(flag.dest)]
    assert len(explained) >= 200
    for dest in ("model_path", "tp_size", "mem_fraction_static", "enable_unified_memory", "speculative_algorithm"):
        sentence = knowledge.explain(dest)
        assert sentence is not None and sentence.endswith(".")


def test_environment_variables_know_their_readers() -> None:
    assert knowledge.reads("SGLANG_ENABLE_SPEC_V2", "0.5.9") is True
    assert knowledge.reads("SGLANG_ENABLE_SPEC_V2", "0.5.18") is False
    assert knowledge.reads("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", NEWEST) is True
    found = knowledge.env_reads("SGLANG_ENABLE_SPEC_V2")
    assert found is not None and found.last == "0.5.13.post1"


def test_the_old_prefix_is_still_read_where_a_release_forwards_it() -> None:
    assert knowledge.reads("SGL_ENABLE_JIT_DEEPGEMM", NEWEST) is True
    assert knowledge.reads("SGL_ENABLE_JIT_DEEPGEMM", "0.4.9") is True


def test_names_of_ones_own_are_nobodys_business() -> None:
    for name in ("SGLANG_IMAGE", "SGLANG_EXTRA_ARGS", "MODEL", "SGLANG_", "SGLANG_.*"):
        assert knowledge.env_reads(name) is None
        assert knowledge.reads(name, NEWEST) is None


def test_replaced_variables_are_read_no_longer_and_their_successors_are() -> None:
    for name in names._renames()["environment"]:
        assert knowledge.reads(name, NEWEST) is False or name.startswith("SGL_"), name
        found = knowledge.environment_rename(name)
        assert found is not None
        assert found.to is None or knowledge.reads(found.to, NEWEST), name
