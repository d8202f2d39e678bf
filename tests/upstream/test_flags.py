"""Flags read from a release's source, without importing it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from sglint import catalogue
from sglint.catalogue import FlagTable
from sglint.upstream.flags import UnreadableRelease, read_flags
from sglint.upstream.publish import add_release, merge_into
from sglint.upstream.source import NotARelease

from .release import CALLS, FIELD_FILES, FILES, NAMES, write_release, write_wheel


@pytest.fixture
def calls(tmp_path: Path) -> FlagTable:
    return read_flags(write_release(tmp_path, FILES))


@pytest.fixture
def fields(tmp_path: Path) -> FlagTable:
    return read_flags(write_release(tmp_path, FIELD_FILES))


def test_declaration_order_is_kept_and_help_comes_first(calls: FlagTable) -> None:
    names = [flag.names[-1] for flag in calls.flags]
    assert names == [
        *("--help", "--model", "--port", "--backend", "--mode", "--tool", "--lazy"),
        *("--tp-size", "--pp-size", "--old", "--verbose"),
    ]


def test_the_release_number_comes_from_the_metadata(calls: FlagTable) -> None:
    assert calls.release == "0.6.1"


def test_names_groups_and_places(calls: FlagTable) -> None:
    flag = calls.by_name["--model"]
    assert (flag.names, flag.dest, flag.required, flag.group) == (
        ("--model-path", "--model"),
        "model_path",
        True,
        "Serving",
    )
    assert flag.source == "srt/server_args.py:ServerArgs.add_cli_args"
    assert calls.by_name["--verbose"].source == "srt/server_args.py:add_more"


def test_choices_are_computed_from_constants_enumerations_and_functions(calls: FlagTable) -> None:
    assert calls.by_name["--backend"].choices == ("a", "b", "c", "extra")
    assert calls.by_name["--mode"].choices == ("fast", "slow")
    assert calls.by_name["--tool"].choices == ("t1", "t2")


@pytest.mark.parametrize(
    "adder", ["def add_backends(more):\n    BACKENDS.extend(more)\n", "add_backends = BACKENDS.extend\n"]
)
def test_a_list_that_plug_ins_may_extend_is_open(tmp_path: Path, adder: str) -> None:
    text = CALLS.replace('BACKENDS + ["extra"]', "BACKENDS")
    files = {**FILES, "srt/server_args.py": text, "srt/names.py": dedent(NAMES) + adder}
    flags = read_flags(write_release(tmp_path, files)).by_name
    assert (flags["--backend"].choices, flags["--backend"].choices_open) == (("a", "b", "c"), True)
    assert not flags["--mode"].choices_open


def test_defaults_are_followed_into_the_class(calls: FlagTable) -> None:
    assert calls.by_name["--port"].default == 30000
    assert calls.by_name["--mode"].default == "fast"
    assert calls.by_name["--backend"].default == "a"


def test_a_computed_default_is_named(calls: FlagTable) -> None:
    flag = calls.by_name["--lazy"]
    assert (flag.default, flag.default_computed) == (None, "tools")


def test_a_retired_flag_has_its_message_and_its_replacement(calls: FlagTable) -> None:
    flag = calls.by_name["--old"]
    assert (flag.action, flag.nargs, flag.deprecated, flag.replacement) == ("refuse", 0, True, "--mode")
    assert flag.refusal is not None and flag.refusal.startswith("--old is deprecated")


def test_annotated_fields_become_flags(fields: FlagTable) -> None:
    by_name = fields.by_name
    assert by_name["--model"].required
    assert (by_name["--tp-size"].dest, by_name["--tp-size"].type) == ("tp_size", "int")
    assert (by_name["--ratio"].type, by_name["--ratio"].default) == ("float", None)
    assert (by_name["--sizes"].nargs, by_name["--sizes"].type, by_name["--sizes"].default) == ("+", "int", [])
    assert by_name["--kind"].choices == ("x", "y")
    assert by_name["--loud"].action == "store_true"
    assert by_name["--fast"].names == ("--fast", "--no-fast")
    assert "--hidden" not in by_name
    assert "--plain" not in by_name


def test_a_wheel_reads_like_its_folder(tmp_path: Path, calls: FlagTable) -> None:
    (tmp_path / "wheels").mkdir()
    assert read_flags(write_wheel(tmp_path / "wheels", FILES)) == calls


def test_nothing_of_the_release_runs(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    read_flags(write_release(tmp_path / "r", {**FILES, "srt/more.py": 'MORE = ("b",)\n' + trap, "__init__.py": trap}))
    assert not (tmp_path / "ran").exists()


def test_what_is_no_release_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotARelease, match=r"server_args\.py"):
        read_flags(tmp_path)
    broken = tmp_path / "x.whl"
    broken.write_bytes(b"not a zip")
    with pytest.raises(NotARelease, match="not a wheel"):
        read_flags(broken)
    with pytest.raises(UnreadableRelease, match="ServerArgs"):
        read_flags(write_release(tmp_path / "r", {**FILES, "srt/server_args.py": "x = 1\n"}))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('parser.add_argument(compute("x"))', "a name that is computed"),
        ("elsewhere.add_more(parser)", "cannot be followed"),
    ],
)
def test_no_partial_table_comes_of_arguments_that_cannot_be_told(tmp_path: Path, line: str, what: str) -> None:
    text = CALLS.replace("add_more(parser)", line)
    with pytest.raises(UnreadableRelease, match=what):
        read_flags(write_release(tmp_path, {**FILES, "srt/server_args.py": text}))


def test_endless_recursion_in_a_release_ends(tmp_path: Path) -> None:
    text = "def tools():\n    return tools()\nBACKENDS = [*BACKENDS]\nclass Mode: ...\n"
    table = read_flags(write_release(tmp_path, {**FILES, "srt/names.py": text}))
    assert (table.by_name["--tool"].choices, table.by_name["--tool"].choices_open) == (None, True)


def test_a_release_is_added_to_the_users_own_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGLINT_CATALOGUE", str(tmp_path / "mine"))
    path = write_release(tmp_path / "r", FILES, "0.9.7")
    add_release(path)
    assert catalogue.load("0.9.7") == read_flags(path)


def test_releases_are_merged_into_a_file(tmp_path: Path) -> None:
    first = write_release(tmp_path / "a", FILES, "0.9.7")
    second = write_release(tmp_path / "b", FIELD_FILES, "0.9.8")
    file = tmp_path / "flags.jsonl"
    assert merge_into(file, [read_flags(second)]) == ("0.9.8",)
    assert merge_into(file, [read_flags(first)]) == ("0.9.7", "0.9.8")
