"""Ways to have a finding not reported: where the comment goes in each notation, and how a configuration changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sglint.assist.ignore_setting import with_ignored
from sglint.assist.ignoring import Ignoring, ways_to_ignore
from sglint.lint import lint
from sglint.settings import Settings, for_document, parse
from sglint.text import Document, Sources, apply_edits, language_of

from ..lsp.texts import MANIFEST, SCRIPT

DOCKERFILE = """\
# syntax=docker/dockerfile:1
FROM lmsysorg/sglang:v0.5.18
CMD ["python3", "-m", "sglang.launch_server", "--model-path", "Qwen/Qwen3-8B", "--tp-sise", "2"]
"""
UNIT = """\
[Service]
ExecStart=/usr/bin/python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B \\
  --tp-sise 2
"""
HEREDOC = """\
#!/bin/bash
docker run lmsysorg/sglang:v0.5.18 bash -c '
  set -e
  python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B \\
    --tp-sise 2
'
"""
VALUES = "image: lmsysorg/sglang:v0.5.18\ncommand: [python3, -m, sglang.launch_server]\nargs:\n  - --tp-sise=2\n"


def ways(path: str, text: str, code: str, settings: Settings | None = None, root: str | None = None) -> list[Ignoring]:
    document = Document(path, text, language_of(path) or "shell")
    settings = settings or Settings()
    report = lint(document, settings, fixes=False)
    finding = next(finding for finding in report.findings if finding.code == code)
    disk = Sources(lambda name: Path(name).read_text(encoding="utf-8") if Path(name).exists() else None)
    return list(ways_to_ignore(report, finding, settings, disk, root))


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("chat.yaml", MANIFEST, "SGL101"),
        ("chat.sh", SCRIPT, "SGL101"),
        ("crlf.yaml", MANIFEST.replace("\n", "\r\n"), "SGL101"),
        ("bom.yaml", "\ufeff" + MANIFEST, "SGL101"),
        ("Dockerfile", DOCKERFILE, "SGL020"),
        ("sglang.service", UNIT, "SGL020"),
        ("inner.sh", HEREDOC, "SGL020"),
        ("values.yaml", VALUES, "SGL020"),
    ],
)
def test_a_comment_hides_the_finding_and_nothing_else(path: str, text: str, code: str) -> None:
    found = {way.scope: way for way in ways(path, text, code)}
    assert set(found) == {"launch", "file"}
    end = "\r\n" if "\r\n" in text else "\n"
    before = lint(Document(path, text, language_of(path) or "shell"), Settings(), fixes=False)
    for scope, way in found.items():
        (edit,) = way.edits
        assert edit.text.endswith(end)
        assert edit.text.strip() == f"# sglint: {'file ' if scope == 'file' else ''}ignore[{code}]"
        after = lint(
            Document(path, apply_edits(text, way.edits), language_of(path) or "shell"), Settings(), fixes=False
        )
        kept = [finding.code for finding in before.findings if finding.code != code]
        assert [finding.code for finding in after.findings] == kept
        assert after.ignored == (code,)


def test_the_comment_stands_above_the_command_not_in_it() -> None:
    (way,) = [way for way in ways("chat.sh", SCRIPT, "SGL101") if way.scope == "launch"]
    lines = apply_edits(SCRIPT, way.edits).split("\n")
    at = lines.index("# sglint: ignore[SGL101]")
    assert lines[at + 1].startswith('echo "')


def test_lines_that_must_be_first_stay_first() -> None:
    for path, text, code in (("Dockerfile", DOCKERFILE, "SGL020"), ("chat.sh", SCRIPT, "SGL101")):
        (way,) = [way for way in ways(path, text, code) if way.scope == "file"]
        assert apply_edits(text, way.edits).split("\n")[:2] == [
            text.split("\n")[0],
            f"# sglint: file ignore[{code}]",
        ]


def test_a_comment_that_is_there_gets_one_more_code() -> None:
    text = SCRIPT.replace('echo "', '# sglint: ignore[SGL999] why\necho "')
    (way,) = [way for way in ways("chat.sh", text, "SGL101") if way.scope == "launch"]
    assert "# sglint: ignore[SGL999, SGL101] why\n" in apply_edits(text, way.edits)


def test_a_notation_without_comments_has_the_project_only(tmp_path: Path) -> None:
    text = '{"image": "lmsysorg/sglang:v0.5.18", "command": ["sglang"], "args": ["serve", "--tp-sise=2"]}\n'
    document = Document("pod.json", text, "yaml")
    report = lint(document, Settings(), fixes=False)
    finding = next(finding for finding in report.findings if finding.code == "SGL020")
    found = list(ways_to_ignore(report, finding, Settings(), Sources.none(), str(tmp_path)))
    assert [way.scope for way in found] == ["project"]


def test_a_configuration_is_made_where_there_is_none(tmp_path: Path) -> None:
    (way,) = [way for way in ways("chat.sh", SCRIPT, "SGL101", root=str(tmp_path)) if way.scope == "project"]
    assert way.creates == str(tmp_path / "sglint.toml")
    assert [edit.text for edit in way.edits] == ['ignore = ["SGL101"]\n']


def test_the_configuration_that_holds_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n\n[tool.sglint]\ngpu = "h200"\n', encoding="utf-8")
    path = str(tmp_path / "chat.sh")
    found = ways(path, SCRIPT, "SGL101", for_document(path, str(tmp_path)), str(tmp_path))
    (way,) = [way for way in found if way.scope == "project"]
    assert way.creates is None
    assert [edit.path for edit in way.edits] == [str(file)]
    after = apply_edits(file.read_text(encoding="utf-8"), way.edits)
    assert '[tool.sglint]\nignore = ["SGL101"]\ngpu = "h200"\n' in after


def test_an_ignore_of_the_editor_that_hides_the_files_own_offers_no_change_of_the_project(tmp_path: Path) -> None:
    settings = Settings(severity={"SGL101": "warning"}, source=str(tmp_path / "gone.toml"))
    assert [way.scope for way in ways("chat.sh", SCRIPT, "SGL101", settings)] == ["launch", "file"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", 'ignore = ["SGL101"]\n'),
        ('gpu = "h200"', 'gpu = "h200"\nignore = ["SGL101"]\n'),
        ('gpu = "h200"\n', 'gpu = "h200"\nignore = ["SGL101"]\n'),
        ("ignore = []\n", 'ignore = ["SGL101"]\n'),
        ('ignore = ["SGL020"]\n', 'ignore = ["SGL020", "SGL101"]\n'),
        ("ignore = ['SGL020', ] # why\n", "ignore = ['SGL020', \"SGL101\", ] # why\n"),
        (
            'ignore = [\n  "SGL020", # ] not the end\n]\n',
            'ignore = [\n  "SGL020",\n  "SGL101", # ] not the end\n]\n',
        ),
        ('ignore = [\r\n  "SGL020"\r\n]\r\n', 'ignore = [\r\n  "SGL020",\r\n  "SGL101"\r\n]\r\n'),
        (
            'gpu = "h200"\n\n# own models\n[models]\na = "b"\n',
            'gpu = "h200"\n\nignore = ["SGL101"]\n\n# own models\n[models]\na = "b"\n',
        ),
    ],
)
def test_the_list_grows_in_its_own_layout(text: str, after: str) -> None:
    changed = with_ignored(text, "sglint.toml", "SGL101")
    assert changed is not None
    result = apply_edits(text, [changed.edit])
    assert result == after
    assert parse(result, "sglint.toml").ignore[-1] == "SGL101"


@pytest.mark.parametrize("text", ['ignore = ["SGL101"]\n', "ignore = [\n", 'ignore = "SGL101"\n'])
def test_where_nothing_can_be_added_nothing_is(text: str) -> None:
    assert with_ignored(text, "sglint.toml", "SGL101") is None
