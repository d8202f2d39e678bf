"""The catalogue file: what is written is what is read, and reading one release is cheap and complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue
from sglint.catalogue import Flag, FlagTable, store
from sglint.data import rules_dir

CATALOGUE = rules_dir() / "flags" / "catalogue.jsonl"

NAMES = st.sampled_from(["--a", "--b", "--c", "--d-e", "--f"])
FLAGS = st.builds(
    Flag,
    names=NAMES.map(lambda name: (name,)),
    dest=st.sampled_from(["a", "b", "d_e"]),
    type=st.sampled_from(["str", "int"]),
    nargs=st.sampled_from([None, "+", "?", 0, 2]),
    choices=st.sampled_from([None, ("x", "y"), (1, 2)]),
    default=st.sampled_from([None, False, 0, 1, 1.0, "x", [], [1]]),
    source=st.sampled_from([None, "f.py:A", "g.py:B"]),
)
TABLES = st.lists(st.lists(FLAGS, max_size=5, unique_by=lambda flag: flag.names), min_size=1, max_size=5)


@settings(derandomize=True, deadline=None)
@given(TABLES)
def test_tables_survive_writing_and_reading(lists: list[list[Flag]]) -> None:
    tables = [FlagTable(f"0.5.{index}", tuple(flags)) for index, flags in enumerate(lists)]
    text = store.write(tables)
    for table in tables:
        read = store.read(text, table.release)
        assert read == table
        assert [repr(flag.default) for flag in read.flags] == [repr(flag.default) for flag in table.flags]


def test_every_release_of_the_shipped_file_is_well_formed() -> None:
    text = CATALOGUE.read_text(encoding="utf-8")
    for release in catalogue.releases():
        table = store.read(text, release)
        names = [name for flag in table.flags for name in flag.names]
        assert len(names) == len(set(names)), release
        assert {"--help", "--model-path"} <= set(names)
        assert [flag.names for flag in table.flags if flag.choices is not None and not flag.choices] == []


def test_writing_the_shipped_releases_again_gives_the_same_file() -> None:
    text = CATALOGUE.read_text(encoding="utf-8")
    assert store.write(store.read(text, release) for release in catalogue.releases()) == text


def test_the_file_stays_small() -> None:
    assert CATALOGUE.stat().st_size < 600_000


def test_a_release_added_by_the_user_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGLINT_CATALOGUE", str(tmp_path))
    table = FlagTable("0.9.1", (Flag(("--x",), "x"),))
    (tmp_path / "0.9.1.jsonl").write_text(store.write([table]), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a release", encoding="utf-8")
    assert catalogue.releases()[-1] == "0.9.1"
    assert catalogue.load("0.9.1") == table
    assert catalogue.nearest("0.9.2") == "0.9.1"


def test_an_unknown_release_is_told() -> None:
    with pytest.raises(catalogue.UnknownRelease):
        catalogue.load("0.0.1")
