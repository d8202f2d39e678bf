"""Files that are no good: each costs a finding or a skip line, and the run goes on with the others."""

from __future__ import annotations

import codecs
import os

import pytest

from sglint import lint

from .conftest import Cli, Result
from .launches import CLEAN, DEPLOYMENT

QUOTES = 10_000
BILLION_LAUGHS = "a0: &a0 [sglang, sglang]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 12)
)

BAD = {
    "broken.yaml": "sglang: [unclosed\nkey: : value\n",
    "tabs.yaml": "sglang:\n\t- x\n",
    "aliases.yaml": BILLION_LAUGHS,
    "cycle.yaml": "sglang: &a\n  - *a\n",
    "deep.yaml": "sglang: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "deep-map.yaml": "sglang:\n" + "".join(f"{' ' * level}k:\n" for level in range(1, 1500)),
    "unknown-alias.yaml": "sglang: *nowhere\n",
    "directive.yaml": "%YAML 9.9\n---\nsglang: x\n",
    "control.yaml": "sglang: \x01\x02\n",
    "nul.yaml": b"sglang: x\0\n",
    "latin.yaml": b"# caf\xe9\nsglang: x\n",
    "half-utf16.yaml": codecs.BOM_UTF16_LE + b"s\0g\0l",
    "surrogate.yaml": 'sglang: "\\ud800"\n',
    "quotes.sh": "python -m sglang.launch_server --model-path " + "'\"" * QUOTES + "\n",
    "nested-quotes.sh": "sh -c " + "\"sh -c '" * QUOTES + "sglang" + "'\"" * QUOTES + "\n",
    "substitutions.sh": "sglang serve " + "$(" * 5_000 + ")" * 5_000 + "\n",
    "braces.sh": "sglang serve " + "${a:-" * 5_000 + "}" * 5_000 + "\n",
    "functions.sh": "f() { f; }\nf\nsglang serve m\n",
    "unterminated.sh": "python -m sglang.launch_server --model-path 'm\n",
    "heredoc.sh": "cat <<EOF\nsglang\n",
    "long-line.sh": "python -m sglang.launch_server --model-path m " + "--x " * 5_000 + "\n",
    "empty.sh": "",
}


def check(cli: Cli, *words: str) -> Result:
    result = cli("check", "--format", "json", *words)
    assert result.code in (0, 1), result.err
    assert result.err == ""
    return result


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_costs_at_most_itself(cli: Cli, name: str) -> None:
    cli.write(name, BAD[name])
    cli.write("zz-good.sh", CLEAN)
    report = check(cli, ".").json
    assert "zz-good.sh" in {launch["path"] for launch in report["launches"]}
    told = [finding for finding in report["findings"] if finding["path"] == name]
    assert not any(finding["code"] == "SGL000" for finding in told)
    skipped = [item for item in report["files"]["skipped"] if item["path"] == name]
    assert len(skipped) <= 1


@pytest.mark.parametrize("name", ["broken.yaml", "tabs.yaml", "latin.yaml", "aliases.yaml", "deep.yaml"])
def test_one_finding_says_what_is_wrong_with_the_file(cli: Cli, name: str) -> None:
    cli.write(name, BAD[name])
    (finding,) = check(cli, name).json["findings"]
    assert finding["path"] == name
    assert finding["launch"] is None
    assert finding["message"]


def test_a_file_of_50_mb_is_skipped_with_the_limit(cli: Cli) -> None:
    with open(cli.folder / "huge.yaml", "wb") as file:
        file.write(b"sglang: x\n")
        file.truncate(50_000_000)
    cli.write("good.yaml", DEPLOYMENT)
    report = check(cli, ".").json
    assert report["files"]["skipped"] == [{"path": "huge.yaml", "reason": "larger than 10 MB"}]
    assert [launch["path"] for launch in report["launches"]] == ["good.yaml"]


def test_a_folder_that_cannot_be_read_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("closed/a.yaml", DEPLOYMENT)
    cli.write("good.sh", CLEAN)
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path == "closed":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    result = cli("check", "--format", "json", ".")
    assert result.code == 2
    assert result.json["files"]["skipped"] == [{"path": "closed", "reason": "permission denied"}]
    assert [launch["path"] for launch in result.json["launches"]] == ["good.sh"]


def test_a_bug_in_one_file_costs_code_3_and_the_others_are_linted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.sh", CLEAN)
    cli.write("b.sh", CLEAN)
    original = lint.lint

    def failing(document: object, *rest: object, **options: object) -> object:
        if getattr(document, "path", None) == "a.sh":
            raise RuntimeError("oops")
        return original(document, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(lint, "lint", failing)
    result = cli("check", "--format", "json", ".")
    assert result.code == 3
    assert result.err.startswith("sglint: internal error in linting a.sh: RuntimeError: oops at ")
    assert [launch["path"] for launch in result.json["launches"]] == ["b.sh"]


def test_a_broken_configuration_is_placed_and_the_rest_goes_on(cli: Cli) -> None:
    cli.write("sglint.toml", 'relase = "0.5.18"\ngpu = "h200"\n')
    cli.write("a.sh", "python -m sglang.launch_server --model-path Qwen/Qwen3-32B\n")
    result = cli("check", "--format", "json", ".")
    assert result.code == 2
    (finding,) = [item for item in result.json["findings"] if item["path"] == "sglint.toml"]
    assert finding["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 6}}
    assert "did you mean `release`" in finding["message"]
    assert result.json["launches"][0]["hardware"]["gpu"] == "h200"


def test_standard_input_is_read_under_the_name_it_is_given(cli: Cli) -> None:
    result = cli("check", "--format", "json", "-", "--stdin-filename", "x/start.sh", stdin=CLEAN.encode())
    assert [launch["path"] for launch in result.json["launches"]] == ["x/start.sh"]


def test_standard_input_without_a_name_is_known_by_its_content(cli: Cli) -> None:
    for text in (DEPLOYMENT, "#!/bin/sh\n" + CLEAN):
        result = cli("check", "--format", "json", "-", stdin=text.encode())
        assert [launch["path"] for launch in result.json["launches"]] == ["<stdin>"]
