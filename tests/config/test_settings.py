"""Configuration files: which one holds, what the keys mean, and what mistakes say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sglint.settings import SettingError, Settings, find, for_document, from_options, gpu_and_count, load, parse

FULL = """\
# What we run.
release = "v0.5.18"
target-releases = ">=0.5.18,<0.5.22"
gpu = "h200x8"
select = ["SGL1", "SGL020"]
ignore = ["SGL103"]
fail-on = "warning"

[models]
"acme/chat" = "models/chat/config.json"

[severity]
SGL101 = "warning"
SGL102 = "off"

[per-file-ignores]
"legacy/*" = ["SGL101"]
"""


def words_of(settings: Settings, text: str) -> list[tuple[str, str]]:
    """(message, the words it points to) of each mistake."""
    return [(finding.message, text[finding.span.start : finding.span.end]) for finding in settings.findings]


def test_every_key_is_read(tmp_path: Path) -> None:
    settings = parse(FULL, str(tmp_path / "sglint.toml"))
    assert settings.findings == ()
    assert (settings.release, settings.gpu, settings.gpu_count) == ("0.5.18", "h200", 8)
    assert settings.models == {"acme/chat": str(tmp_path / "models/chat/config.json")}
    assert settings.fail_on == "warning"
    assert settings.origin("release") == "setting"


@pytest.mark.parametrize(
    ("code", "path", "wanted"),
    [
        ("SGL101", "deploy/a.yaml", True),
        ("SGL101", "legacy/a.yaml", False),
        ("SGL101", "/home/me/repo/legacy/a.yaml", False),
        ("SGL102", "deploy/a.yaml", False),
        ("SGL103", "deploy/a.yaml", False),
        ("SGL020", "deploy/a.yaml", True),
        ("SGL021", "deploy/a.yaml", False),
    ],
)
def test_selection(code: str, path: str, wanted: bool) -> None:
    assert parse(FULL, "sglint.toml").selects(code, path) is wanted


@pytest.mark.parametrize(
    ("text", "message", "words"),
    [
        ('relaese = "0.5.18"', "`relaese` is no setting; did you mean `release`?", "relaese"),
        ('release = "latest"', "`release` must be an SGLang release such as 0.5.18", "release"),
        ("release = 5", "`release` must be an SGLang release such as 0.5.18", "release"),
        ('a = 1\nselect = ["E501"]', "`select` holds 'E501', which is no code", "select"),
        ('[severity]\nSGL101 = "loud"', "`severity` must be one of error, warning, info, hint or off", "SGL101"),
        ('[severity]\n"X" = "off"', "`severity` holds 'X'", '"X"'),
        ('[models]\n"a/b" = 3', "`models` must map a model to the path", '"a/b"'),
        ('[per-file-ignores]\n"x/*" = "SGL101"', "`per-file-ignores` must be a list of texts", '"x/*"'),
        ('fail-on = "always"', "`fail-on` must be one of error", "fail-on"),
        ('target-releases = "0.5"', "`target-releases` must be bounds such as", "target-releases"),
        ('gpu = ""', "`gpu` must name a GPU", "gpu"),
        ("include = [1]", "`include` must be a list of texts", "include"),
    ],
)
def test_mistakes_are_findings_at_their_place(text: str, message: str, words: str) -> None:
    findings = words_of(parse(text, "sglint.toml"), text)
    assert findings[-1][0].startswith(message)
    assert findings[-1][1] == words


def test_one_mistake_leaves_the_other_keys_in_force() -> None:
    settings = parse('release = "0.5.18"\ngpu = 3\nselect = ["SGL1"]', "sglint.toml")
    assert (settings.release, settings.gpu, settings.select) == ("0.5.18", None, ("SGL1",))
    assert len(settings.findings) == 1


def test_a_file_that_is_no_toml_says_where() -> None:
    text = 'release = "0.5.18"\ngpu = \n'
    settings = parse(text, "sglint.toml")
    assert settings.release is None
    (finding,) = settings.findings
    assert finding.message.startswith("not TOML")
    assert text[: finding.span.start].count("\n") == 1


def test_broken_by_typing_the_last_good_settings_stay(tmp_path: Path) -> None:
    file = tmp_path / "sglint.toml"
    file.write_text('release = "0.5.18"\n')
    assert load(str(file)).release == "0.5.18"
    file.write_text('release = "0.5.18\n')
    os.utime(file, ns=(1, 1))
    settings = load(str(file))
    assert settings.release == "0.5.18"
    assert len(settings.findings) == 1


def test_pyproject_table_and_its_places(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\n\n[tool.sglint]\nrelease = "0.5.18"\nselct = []\n\n[tool.sglint.severity]\nSGL101 = 3\n'
    )
    settings = parse(text, str(tmp_path / "pyproject.toml"))
    assert settings.release == "0.5.18"
    assert [words for _, words in words_of(settings, text)] == ["selct", "SGL101"]


def test_the_nearest_file_holds_and_the_root_bounds_the_search(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "deploy"
    inner.mkdir(parents=True)
    (tmp_path / "sglint.toml").write_text('release = "0.5.15"')
    document = str(inner / "a.yaml")
    assert for_document(document, str(tmp_path / "repo")).release is None
    (tmp_path / "repo" / "pyproject.toml").write_text('[tool.sglint]\nrelease = "0.5.16"\n')
    assert for_document(document, str(tmp_path / "repo")).release == "0.5.16"
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    assert find(document, None) == str(tmp_path / "repo" / "pyproject.toml")
    (inner / ".sglint.toml").write_text('release = "0.5.17"')
    assert for_document(document, None).release == "0.5.17"
    (inner / "sglint.toml").write_text('release = "0.5.18"')
    assert for_document(document, None).release == "0.5.18"


def test_without_a_root_a_repository_bounds_the_search(tmp_path: Path) -> None:
    (tmp_path / "sglint.toml").write_text('release = "0.5.15"')
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert find(str(tmp_path / "repo" / "a.yaml"), None) is None


def test_options_win_and_say_where_they_come_from() -> None:
    base = parse('release = "0.5.18"\ngpu = "h100x8"', "sglint.toml")
    settings = from_options(base, {"gpu": "h200", "select": None}, "command line")
    assert (settings.release, settings.gpu, settings.gpu_count) == ("0.5.18", "h200", None)
    assert (settings.origin("release"), settings.origin("gpu")) == ("setting", "command line")


def test_a_bad_option_is_a_finding() -> None:
    settings = from_options(Settings(), {"release": "newest", "gpu": "b200"})
    assert settings.gpu == "b200"
    assert [finding.code for finding in settings.findings] == ["SGL012"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [("h200", ("h200", None)), ("H200x8", ("h200", 8)), ("rtx5090", ("rtx5090", None)), ("rtx5090x2", ("rtx5090", 2))],
)
def test_gpu_and_count(text: str, parts: tuple[str, int | None]) -> None:
    assert gpu_and_count(text) == parts


def test_no_gpu_is_an_error() -> None:
    with pytest.raises(SettingError):
        gpu_and_count(" ")
