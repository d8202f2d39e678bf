"""``sglint baseline`` and ``sglint check --baseline``: today's findings are accepted, tomorrow's are told."""

from __future__ import annotations

import os

import pytest

from sglint.report import baseline

from .conftest import Cli
from .launches import DEPLOYMENT, SCRIPT

ANOTHER = DEPLOYMENT.replace("name: gpt-oss", "name: another")


def test_what_is_known_is_not_shown_and_what_is_new_is(cli: Cli) -> None:
    cli.write("sglint.toml", 'select = ["SGL101"]\n')
    cli.write("a.yaml", DEPLOYMENT)
    written = cli("baseline")
    assert (written.code, written.out) == (0, "sglint-baseline.json: 1 finding taken for known\n")
    checked = cli("check", "--baseline", "sglint-baseline.json")
    assert checked.code == 0
    assert "1 known finding of the baseline not shown" in checked.out
    cli.write("a.yaml", ANOTHER + "---\n# moved down\n" + DEPLOYMENT)
    result = cli("check", "--baseline", "sglint-baseline.json", "--format", "json")
    assert result.code == 1
    (error,) = [finding for finding in result.json["findings"] if finding["severity"] == "error"]
    assert error["range"]["start"]["line"] < len(ANOTHER.splitlines())
    assert result.json["baseline"] == {"known": 1, "gone": 0}


def test_a_configuration_names_its_baseline_and_paths_are_from_its_folder(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.write("sglint.toml", 'baseline = "known.json"\n')
    cli.write("k8s/a.yaml", DEPLOYMENT)
    assert cli("check").code == 2
    cli("baseline", "-o", "known.json")
    assert '"path": "k8s/a.yaml"' in (cli.folder / "known.json").read_text()
    assert cli("check").code == 0
    monkeypatch.chdir(cli.folder / "k8s")
    assert cli("check", "a.yaml").code == 0


def test_findings_that_are_gone_are_counted(cli: Cli) -> None:
    cli.write("start.sh", SCRIPT)
    cli("baseline")
    cli.write("start.sh", SCRIPT.replace("--enable-unified-memory", ""))
    assert "1 finding of the baseline gone" in cli("check", "--baseline", "sglint-baseline.json").out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "nope.json: no such file or directory; `sglint baseline` writes one"),
        ("[]", 'nope.json: no baseline: it has no "schema": 1 with "findings"; `sglint baseline` writes one'),
        (b"\xff", "nope.json: not UTF-8; `sglint baseline` writes one"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_one_line(cli: Cli, content: str | bytes | None, told: str) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    if content is not None:
        cli.write("nope.json", content)
    result = cli("check", "--baseline", "nope.json")
    assert (result.code, result.out, result.err) == (2, "", f"sglint: {told}\n")


def test_nothing_is_written_where_not_everything_was_looked_into(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    result = cli("baseline", "a.yaml", "nowhere")
    assert result.code == 2
    assert not (cli.folder / "sglint-baseline.json").exists()


def test_a_folder_that_takes_no_file_is_one_line(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    result = cli("baseline", "-o", "nowhere/known.json")
    assert (result.code, result.err) == (2, "sglint: nowhere/known.json: no such file or directory\n")
    assert list(cli.folder.glob("**/.known*")) == []


def test_a_device_is_written_to_and_not_replaced(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    os.mkfifo(cli.folder / "pipe")
    reader = os.open(cli.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert cli("baseline", "-o", "pipe").code == 0
        assert baseline.parse(os.read(reader, 1 << 16).decode())
    finally:
        os.close(reader)
    assert (cli.folder / "pipe").is_fifo()
