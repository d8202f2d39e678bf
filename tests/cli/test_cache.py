"""Reports kept from one run to the next: the same as new ones, whatever changed, and never in the way."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sglint import lint
from sglint.cli import caching
from sglint.cli.check import FORMATS
from sglint.cli.installation import installation

from .conftest import Cli, Result
from .launches import CLEAN, DEPLOYMENT, SCRIPT

SERVER = Path(__file__).parents[2] / "server"
CONFIG = Path(__file__).parents[1] / "data" / "configs" / "lfm2-shape" / "config.json"


class Kept:
    """``check`` with a cache, and which documents it linted."""

    def __init__(self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cli = cli
        self.folder = folder
        self.linted: list[str] = []
        original = lint.lint

        def noted(document: Any, *words: Any, **named: Any) -> Any:
            self.linted.append(document.path)
            return original(document, *words, **named)

        monkeypatch.setattr(lint, "lint", noted)

    def __call__(self, *words: str, stdin: bytes = b"") -> Result:
        self.linted.clear()
        return self.cli("check", "--cache-dir", str(self.folder), "-j", "1", *words, stdin=stdin)

    def entries(self) -> list[Path]:
        return sorted(self.folder.rglob("*.report"))


@pytest.fixture
def check(cli: Cli, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Kept:
    return Kept(cli, tmp_path_factory.mktemp("cache"), monkeypatch)


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_second_run_says_the_same_and_lints_nothing(check: Kept, wanted: str) -> None:
    check.cli.write("a.yaml", DEPLOYMENT)
    check.cli.write("b.sh", SCRIPT)
    check.cli.write("c.sh", b"#!/bin/sh\npython -m sglang.launch_server --model-path caf\xe9\n")
    check.cli.write("sglint.toml", 'releese = "0.5.18"\n')
    first = check("--format", wanted)
    assert check.linted == ["a.yaml", "b.sh", "c.sh"]
    assert check("--format", wanted) == first
    assert check.linted == []
    assert check.cli("check", "--format", wanted) == first


def test_a_changed_document_alone_is_linted_again(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    check.cli.write("b.sh", CLEAN)
    check()
    check.cli.write("b.sh", SCRIPT)
    check()
    assert check.linted == ["b.sh"]
    check.cli.write("b.sh", CLEAN)
    check()
    assert check.linted == []


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: llm\nversion: 1.0.0\n",
    "chart/values.yaml": "tp: 2\n",
    "chart/templates/deploy.yaml": DEPLOYMENT.replace(
        "            - --attention-backend=triton\n", "            - --tp-size={{ .Values.tp }}\n"
    ).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 8"),
}


def a_value(check: Kept) -> None:
    check.cli.write("chart/values.yaml", "tp: two\n")


def values_that_appear(check: Kept) -> None:
    (check.cli.folder / "chart/values.yaml").unlink()
    check()
    check.cli.write("chart/values.yaml", "tp: 3\n")


def values_that_vanish(check: Kept) -> None:
    (check.cli.folder / "chart/values.yaml").unlink()


def a_new_helper(check: Kept) -> None:
    check.cli.write("chart/templates/_more.tpl", '{{ define "x" }}y{{ end }}\n')


def a_configuration(check: Kept) -> None:
    check.cli.write("chart/sglint.toml", 'release = "0.5.20"\n')


def a_rule(check: Kept) -> None:
    check.cli.write("sglint.toml", 'rules = ["own"]\n')
    check()
    check.cli.write("own/HOUSE001-x.toml", "code = ")


@pytest.mark.parametrize(
    "change", [a_value, values_that_appear, values_that_vanish, a_new_helper, a_configuration, a_rule]
)
def test_a_change_beside_a_document_lints_it_again(check: Kept, change: Callable[[Kept], None]) -> None:
    for name, text in CHART.items():
        check.cli.write(name, text)
    check()
    check()
    assert check.linted == []
    change(check)
    again = check()
    assert "chart/templates/deploy.yaml" in check.linted
    assert again == check.cli("check")


def test_a_model_in_a_folder_counts_when_it_appears_and_when_it_changes(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN.replace("Qwen/Qwen3-32B", "./own-model"))
    unknown = check("--format", "json").json
    config = check.cli.write("own-model/config.json", CONFIG.read_bytes())
    known = check("--format", "json").json
    assert check.linted == ["a.sh"]
    assert (unknown["launches"][0]["model"]["facts"], known["launches"][0]["model"]["facts"]) == (None, "file")
    config.write_text("{}")
    check()
    assert check.linted == ["a.sh"]


def test_a_model_in_the_hub_cache_counts_too(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(check.folder / "hub-home"))
    check.cli.write("a.sh", CLEAN.replace("Qwen/Qwen3-32B", "nobody/own-model"))
    check()
    snapshot = check.folder / "hub-home" / "hub" / "models--nobody--own-model" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_bytes(CONFIG.read_bytes())
    check()
    assert check.linted == ["a.sh"]


def test_a_configured_model_file_counts(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    check.cli.write("sglint.toml", '[models]\n"Qwen/Qwen3-32B" = "m"\n')
    check()
    check.cli.write("m/config.json", "{}")
    again = check()
    assert check.linted == ["a.sh"]
    assert again == check.cli("check")


@pytest.mark.parametrize("words", [("--release", "0.5.20"), ("--gpu", "h100"), ("--ignore", "SGL101")])
def test_other_options_are_other_results(check: Kept, words: tuple[str, ...]) -> None:
    check.cli.write("a.yaml", DEPLOYMENT)
    check()
    assert check(*words) == check.cli("check", *words)
    check()
    assert check.linted == []


def test_another_version_of_sglint_does_not_believe_this_one(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    check.cli.write("a.sh", CLEAN)
    check()
    monkeypatch.setattr("sglint.cli.installation.__version__", "0.0.0")
    check()
    assert check.linted == ["a.sh"]


def test_a_wheel_is_known_by_the_bundle_it_was_built_with(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = check.cli.write("rules/bundle.json", "{}")
    monkeypatch.setattr("sglint.cli.installation.rules_dir", lambda: bundle.parent)
    before = installation()
    assert installation() == before
    bundle.write_text("{} ")
    assert installation() != before


def test_a_release_added_to_the_catalogue_counts(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGLINT_CATALOGUE", str(check.folder / "added"))
    check.cli.write("a.sh", CLEAN)
    check()
    (check.folder / "added").mkdir()
    (check.folder / "added" / "9.9.9.jsonl").write_text("")
    check("-q")
    assert check.linted == ["a.sh"]


def test_files_of_the_same_name_in_two_folders_are_two(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        check.cli.write(f"{name}/a.sh", CLEAN)
        monkeypatch.chdir(check.cli.folder / name)
        check()
        assert check.linted == ["a.sh"]


def test_standard_input_is_not_kept(check: Kept) -> None:
    check("-", stdin=CLEAN.encode())
    assert check.entries() == []


def test_without_a_cache_nothing_is_kept(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    check.cli.write("a.sh", CLEAN)
    check("--no-cache")
    monkeypatch.setenv("SGLINT_CACHE_DIR", str(check.folder))
    check.cli("check")
    assert check.entries() == []
    monkeypatch.delenv("SGLINT_NO_CACHE")
    check.cli("check")
    assert len(check.entries()) == 1


def damage_by_cutting(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-1])


def damage_by_emptying(entry: Path) -> None:
    entry.write_bytes(b"")


def damage_by_flipping(entry: Path) -> None:
    data = bytearray(entry.read_bytes())
    data[len(data) // 2] ^= 1
    entry.write_bytes(data)


@pytest.mark.parametrize("damage", [damage_by_cutting, damage_by_emptying, damage_by_flipping])
def test_a_damaged_entry_costs_one_line_and_is_made_anew(check: Kept, damage: Callable[[Path], None]) -> None:
    check.cli.write("a.yaml", DEPLOYMENT)
    check.cli.write("b.sh", SCRIPT)
    first = check()
    for entry in check.entries():
        damage(entry)
    second = check()
    assert (second.code, second.out) == (first.code, first.out)
    assert second.err == "sglint: 2 damaged entries of the cache made anew\n"
    assert check() == first
    assert check.linted == []


def test_an_entry_made_by_somebody_else_runs_nothing(check: Kept) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(check.folder / "gotcha"),)

    check.cli.write("a.sh", CLEAN)
    first = check()
    (entry,) = check.entries()
    payload = pickle.dumps(Evil())
    entry.write_bytes(caching._MAGIC + caching.digest_of(payload) + payload)
    second = check()
    assert (second.code, second.out) == (first.code, first.out)
    assert not (check.folder / "gotcha").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_a_cache_that_cannot_be_written_costs_one_line(
    check: Kept, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    check.cli.write("a.yaml", DEPLOYMENT)
    check.cli.write("b.sh", CLEAN)
    expected = check.cli("check")

    def refusing(*words: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refusing)
    result = check()
    assert (result.code, result.out) == (expected.code, expected.out)
    (line,) = result.err.splitlines()
    assert line.startswith(f"sglint: results are not kept in {check.folder}: {os.strerror(number).lower()}")
    assert [path for path in check.folder.rglob("*") if path.is_file() and caching.SUFFIX in path.name] == []


def test_a_file_where_the_cache_should_be_costs_one_line(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    check.cli.write("taken", "")
    result = check.cli("check", "--cache-dir", "taken")
    assert (result.code, len(result.err.splitlines())) == (0, 1)
    assert "results are not kept in taken: " in result.err


def test_what_is_too_much_is_removed_the_longest_unused_first(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    check.cli.write("old.sh", CLEAN)
    check()
    (old,) = check.entries()
    os.utime(old, (1, 1))
    size = old.stat().st_size
    monkeypatch.setattr(caching, "MOST_BYTES", size * 3)
    monkeypatch.setattr(caching, "SHELVES", 1)
    monkeypatch.setattr(caching, "_LARGEST", size * 3)
    monkeypatch.setattr(caching.Cache, "_path", _on_one_shelf(caching.Cache._path))
    old.rename(check.folder / "0" / old.name) if (check.folder / "0").exists() else _moved(old, check.folder / "0")
    for number in range(3):
        check.cli.write(f"new-{number}.sh", CLEAN)
    check()
    left = check.entries()
    assert sum(path.stat().st_size for path in left) <= size * 3
    assert old.name not in [path.name for path in left]


def _on_one_shelf(path_of: Callable[..., str]) -> Callable[..., str]:
    def path(*words: Any) -> str:
        found = Path(path_of(*words))
        return str(found.parents[1] / "0" / found.name)

    return path


def _moved(entry: Path, shelf: Path) -> None:
    shelf.mkdir()
    entry.rename(shelf / entry.name)


def test_a_use_makes_an_old_entry_young(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    check()
    (entry,) = check.entries()
    os.utime(entry, (1, 1))
    check()
    assert entry.stat().st_mtime > 1


def test_the_cache_is_told_of_and_emptied_and_nothing_else_is(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    check()
    (check.folder / "mine.txt").write_text("keep")
    (check.folder / "0").mkdir(exist_ok=True)
    (check.folder / "0" / "mine.txt").write_text("keep")
    shown = check.cli("cache", "--cache-dir", str(check.folder))
    assert shown.code == 0 and "1 result in 0.0 MB" in shown.out
    assert "1 result removed" in check.cli("cache", "clean", "--cache-dir", str(check.folder)).out
    assert check.entries() == []
    assert (check.folder / "mine.txt").exists() and (check.folder / "0" / "mine.txt").exists()


def test_a_cache_in_the_repository_is_neither_scanned_nor_committed(check: Kept) -> None:
    check.cli.write("a.sh", CLEAN)
    for _ in range(2):
        result = check.cli("check", "--cache-dir", "kept", "--format", "json")
        assert result.json["files"] == {"seen": 1, "with_launches": 1, "skipped": [], "copies": 0}
    assert (check.cli.folder / "kept" / ".gitignore").read_text() == "*\n"
    assert (
        (check.cli.folder / "kept" / "CACHEDIR.TAG")
        .read_text()
        .startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )


def test_processes_keep_as_much_as_one(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sglint.cli.attempts.WORTH_PROCESSES", 4)
    for number in range(9):
        check.cli.write(f"{number}.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
    first = check.cli("check", "--cache-dir", str(check.folder), "-j", "2")
    assert len(check.entries()) == 9
    assert check() == first
    assert check.linted == []


def test_what_tells_of_a_bug_is_not_kept(check: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    check.cli.write("a.sh", CLEAN)

    def failing(*words: Any, **named: Any) -> Any:
        raise RuntimeError("oops")

    with monkeypatch.context() as patch:
        patch.setattr(lint, "lint", failing)
        assert check().code == 3
    assert check().code == 0


FULL = """
import resource, sys
from sglint.cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
sys.exit(run(["check", "--cache-dir", sys.argv[1], "-j", sys.argv[2]]))
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_costs_one_line(check: Kept, jobs: str) -> None:
    for number in range(42):
        check.cli.write(f"{number:02}.sh", CLEAN)
    expected = check.cli("check", "-j", "1")
    result = subprocess.run(
        [sys.executable, "-c", FULL, str(check.folder), jobs],
        cwd=check.cli.folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SERVER)},
        check=False,
    )
    assert (result.returncode, result.stdout) == (expected.code, expected.out)
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"sglint: results are not kept in {check.folder}: file too large")
    assert [path for path in check.folder.rglob("*") if caching.SUFFIX in path.name] == []


def test_two_runs_at_once_say_the_same_and_leave_a_sound_cache(check: Kept) -> None:
    for number in range(10):
        check.cli.write(f"{number:02}.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
    expected = check.cli("check", "-j", "1")
    command = [sys.executable, "-m", "sglint", "check", "-j", "1", "--cache-dir", str(check.folder)]
    runs = [
        subprocess.Popen(
            command,
            cwd=check.cli.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SERVER)},
        )
        for _ in range(2)
    ]
    for run in runs:
        out, err = run.communicate()
        assert (run.returncode, out, err) == (expected.code, expected.out, "")
    assert len(check.entries()) == 10
    assert check() == expected
    assert check.linted == []
