"""``sglint fix``: files are wholly fixed or as they were."""

from __future__ import annotations

import stat

from sglint.cli import fix
from sglint.cli.discovery import Candidate
from sglint.cli.loading import Loaded, load

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT


def test_fixes_that_change_behaviour_wait_for_unsafe(cli: Cli) -> None:
    path = cli.write("a.yaml", DEPLOYMENT)
    result = cli("fix", "a.yaml")
    assert (result.code, result.out) == (0, "0 files changed\n")
    assert path.read_text() == DEPLOYMENT


def test_unsafe_fixes_until_nothing_is_refused(cli: Cli) -> None:
    path = cli.write("a.yaml", DEPLOYMENT)
    result = cli("fix", "--unsafe", "a.yaml")
    assert result.code == 0
    assert result.out.startswith("a.yaml: fixed\n  ")
    assert result.out.endswith("1 file changed\n")
    assert path.read_text() != DEPLOYMENT
    assert cli("check", "a.yaml").code == 0
    fixed = path.read_text()
    assert cli("fix", "--unsafe", "a.yaml").out == "0 files changed\n"
    assert path.read_text() == fixed


def test_diff_changes_nothing_and_says_so_by_its_code(cli: Cli) -> None:
    path = cli.write("a.yaml", DEPLOYMENT)
    result = cli("fix", "--unsafe", "--diff", "a.yaml")
    assert result.code == 1
    assert result.out.startswith("--- a/a.yaml\n+++ b/a.yaml\n@@ ")
    assert path.read_text() == DEPLOYMENT
    cli.write("b.sh", CLEAN)
    assert cli("fix", "--unsafe", "--diff", "b.sh").code == 0


def test_standard_input_is_fixed_to_standard_output(cli: Cli) -> None:
    result = cli("fix", "--unsafe", "-", stdin=CLEAN.encode())
    assert (result.code, result.out) == (0, CLEAN)


def found(cli: Cli, name: str, content: str) -> Loaded:
    cli.write(name, content)
    loaded = load(Candidate(name, "shell", True))
    assert isinstance(loaded, Loaded)
    return loaded


def test_a_file_keeps_its_mode_and_nothing_is_left_behind(cli: Cli) -> None:
    loaded = found(cli, "a.sh", CLEAN)
    (cli.folder / "a.sh").chmod(0o750)
    assert fix.replace_file("a.sh", loaded, b"new\r\n") is None
    assert (cli.folder / "a.sh").read_bytes() == b"new\r\n"
    assert stat.S_IMODE((cli.folder / "a.sh").stat().st_mode) == 0o750
    assert [path.name for path in cli.folder.iterdir() if path.name != ".git"] == ["a.sh"]


def test_a_link_stays_a_link(cli: Cli) -> None:
    cli.write("real/a.sh", CLEAN)
    (cli.folder / "a.sh").symlink_to("real/a.sh")
    loaded = load(Candidate("a.sh", "shell", True))
    assert isinstance(loaded, Loaded)
    assert fix.replace_file("a.sh", loaded, b"new") is None
    assert (cli.folder / "a.sh").is_symlink()
    assert (cli.folder / "real/a.sh").read_bytes() == b"new"


def test_a_file_that_changed_meanwhile_is_left_alone(cli: Cli) -> None:
    loaded = found(cli, "a.sh", CLEAN)
    cli.write("a.sh", CLEAN + "# more\n")
    assert fix.replace_file("a.sh", loaded, b"new") == "it was changed meanwhile, so it is left alone"
    assert (cli.folder / "a.sh").read_text() == CLEAN + "# more\n"
    assert [path.name for path in cli.folder.iterdir() if path.name != ".git"] == ["a.sh"]


def test_a_file_that_vanished_costs_one_line(cli: Cli) -> None:
    loaded = found(cli, "a.sh", CLEAN)
    (cli.folder / "a.sh").unlink()
    assert fix.replace_file("a.sh", loaded, b"new") == "no such file or directory"


def test_a_file_that_is_not_utf8_is_never_written(cli: Cli) -> None:
    data = DEPLOYMENT.encode() + b"# caf\xe9\n"
    path = cli.write("a.yaml", data)
    result = cli("fix", "--unsafe", "a.yaml")
    assert (result.code, result.err) == (2, "sglint: a.yaml: not UTF-8, so it is left alone\n")
    assert path.read_bytes() == data
