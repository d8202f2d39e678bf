"""``sglint config``: what holds for a file and where it says so; the schema agrees with what is accepted."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sglint import settings, toml
from sglint.cli.config_schema import schema
from sglint.cli.options import Configured

from .conftest import Cli

CONFIGURATION = """\
# ours
release = "0.5.18"
gpu = "h200x8"
ignore = ["SGL2"]
exclude = ["third-party/*"]

[severity]
SGL101 = "off"

[per-file-ignores]
"legacy/*" = ["SGL102"]
"""
DOCS = Path(__file__).parents[2] / "docs"


def test_each_setting_says_where_it_is_from(cli: Cli) -> None:
    cli.write("sglint.toml", CONFIGURATION)
    told = cli("config", "--show", "k8s/a.yaml", "--format", "json").json
    assert told["configuration"] == "sglint.toml"
    assert told["settings"]["release"] == {"value": "0.5.18", "from": "sglint.toml:2"}
    assert told["settings"]["gpu"] == {"value": "h200x8", "from": "sglint.toml:3"}
    assert told["settings"]["severity"] == {"value": {"SGL101": "off"}, "from": "sglint.toml:7"}
    assert told["settings"]["fail-on"] == {"value": "error", "from": "default"}
    assert set(told["settings"]) == set(settings.key_names())
    assert (told["scanned"], told["mistakes"]) == (True, [])


def test_what_is_left_out_in_a_file_says_why(cli: Cli) -> None:
    cli.write("sglint.toml", CONFIGURATION)
    there = cli("config", "--show", "legacy/a.yaml", "--format", "json").json["ignored"]
    assert [(entry["codes"], entry["by"]) for entry in there] == [
        ("SGL2", "ignore"),
        ("SGL101", "severity"),
        ("SGL102", 'per-file-ignores "legacy/*"'),
    ]
    elsewhere = cli("config", "--show", "new/a.yaml", "--format", "json").json["ignored"]
    assert elsewhere == there[:2]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("third-party/a.yaml", "a pattern of `exclude` matches"),
        ("a.png", "it is not a kind of file that sglint reads"),
        ("a.yaml", None),
    ],
)
def test_whether_a_scan_reads_a_file(cli: Cli, path: str, reason: str | None) -> None:
    cli.write("sglint.toml", CONFIGURATION)
    assert cli("config", "--show", path, "--format", "json").json["reason"] == reason


def test_in_words(cli: Cli) -> None:
    cli.write("pyproject.toml", '[project]\nname = "x"\n\n[tool.sglint]\nrelease = "0.5.18"\n')
    result = cli("config", "--show", "a.yaml")
    assert result.code == 0
    first, second, third, *_ = result.out.splitlines()
    assert (first, second, third) == (
        "a.yaml",
        "  configuration: pyproject.toml",
        "  a scan reads it: yes",
    )
    assert "0.5.18  (pyproject.toml:5)" in result.out
    assert "configuration: none, so defaults hold" in cli_without_configuration(cli)


def cli_without_configuration(cli: Cli) -> str:
    (cli.folder / "pyproject.toml").unlink()
    return cli("config").out


def test_mistakes_are_told_with_their_line(cli: Cli) -> None:
    cli.write("sglint.toml", 'release = "0.5.18"\nreleese = "0.5.19"\n')
    result = cli("config")
    assert result.code == 2
    assert "mistake: sglint.toml:2: `releese` is no setting; did you mean `release`?" in result.out
    assert "0.5.18  (sglint.toml:1)" in result.out


def test_a_configuration_that_is_not_there(cli: Cli) -> None:
    assert cli("config", "--config", "x.toml").err == "sglint: --config x.toml: no such file\n"


def test_the_published_schema_is_this_one(cli: Cli) -> None:
    assert cli("config", "--schema").out == (DOCS / "sglint.schema.json").read_text(encoding="utf-8")


def accepted(text: str) -> bool:
    return settings.parse(text, "/x/sglint.toml").findings == ()


def valid(text: str) -> bool:
    data: dict[str, Any] = json.loads(json.dumps(toml.parse(text)))
    return bool(jsonschema.Draft7Validator(schema()).is_valid(data))


@pytest.mark.parametrize(
    "text",
    [
        CONFIGURATION,
        'baseline = "x.json"\nfail-on = "never"\nselect = ["all"]\n',
        '[models]\n"acme/chat" = "models/chat"\n',
        'include = ["k8s/*"]\nknown-flags = ["--ours-*"]\n',
        'releese = "0.5.18"\n',
        "release = 5\n",
        'release = "new"\n',
        'ignore = ["X1"]\n',
        'ignore = "SGL1"\n',
        'fail-on = "fatal"\n',
        '[severity]\nSGL101 = "loud"\n',
        '[per-file-ignores]\n"a" = "SGL1"\n',
        "[models]\na = 1\n",
    ],
)
def test_the_schema_takes_what_is_accepted_and_nothing_else(text: str) -> None:
    assert valid(text) == accepted(text)


def test_folders_share_what_is_looked_for_above_them(cli: Cli) -> None:
    """Folder by folder the same file as a search upward from each file alone."""
    cli.write("sglint.toml", "")
    cli.write("a/b/.sglint.toml", "")
    cli.write("a/b/c/pyproject.toml", "[project]\n")
    cli.write("a/d/pyproject.toml", "[tool.sglint]\n")
    cli.write("own/repository/.git/HEAD", "")
    configured = Configured(Namespace())
    for folder in (
        "",
        "a",
        "a/b",
        "a/b/c",
        "a/b/c/e",
        "a/d",
        "a/d/e/f",
        "own",
        "own/repository",
        "own/repository/x",
        "..",
    ):
        path = f"{folder}/x.sh" if folder else "x.sh"
        for seen in (path, str(cli.folder / path)):
            assert configured.for_path(seen).source == settings.find(path, None), seen
