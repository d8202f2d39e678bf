"""Fixing every case of every notation: a second run has nothing left to do, and an editor gets the same bytes."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types

from sglint.cli.loading import Loaded, decoded, read_text
from sglint.lint import lint
from sglint.lsp.actions import FIX_ALL, fix_all
from sglint.lsp.buffers import Buffer
from sglint.settings import Settings
from sglint.text import Edit, LineIndex, Position, Sources, Span, apply_edits, language_of

from .conftest import Cli

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "extraction"


@pytest.fixture
def cases(cli: Cli) -> dict[str, bytes]:
    for path in sorted(CASES.rglob("*")):
        if path.is_file() and language_of(path.name, path.read_bytes()[:80].decode("utf-8", "replace")):
            target = cli.folder / path.relative_to(CASES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return contents(cli)


def contents(cli: Cli) -> dict[str, bytes]:
    paths = (path for path in cli.folder.rglob("*") if path.is_file())
    return {str(path.relative_to(cli.folder)): path.read_bytes() for path in sorted(paths)}


def test_a_second_run_changes_nothing(cli: Cli, cases: dict[str, bytes]) -> None:
    assert cli("fix", "--unsafe", ".").code == 0
    fixed = contents(cli)
    assert len(cases) > 150
    changed = [name for name in cases if fixed[name] != cases[name]]
    assert len(changed) > 10
    # The others are what they were, and were not changed then either.
    assert cli("fix", "--unsafe", *changed).out == "0 files changed\n"
    assert contents(cli) == fixed


def test_an_editor_gets_the_same_bytes(cli: Cli, cases: dict[str, bytes]) -> None:
    edited = {name: in_editor(name, data) for name, data in cases.items()}
    offered = [name for name, data in edited.items() if data is not None]
    assert len(offered) > 10
    # Where a report has no safe fix, neither has anything to do.
    assert cli("fix", *offered).code == 0
    assert {name: (cli.folder / name).read_bytes() for name in offered} == {name: edited[name] for name in offered}
    assert any(edited[name] != cases[name] for name in offered)


def in_editor(name: str, data: bytes) -> bytes | None:
    """The file after the editor's action for everything that is safe; None where nothing is."""
    found = decoded(data, name, language_of(name, data[:80].decode("utf-8", "replace")) or "", named=True)
    assert isinstance(found, Loaded)
    document = found.document
    report = lint(document, Settings(), Sources(read_text))
    if not any(fix.safety == "safe" for finding in report.findings for fix in finding.fixes):
        return None
    buffer = Buffer(Path(name).absolute().as_uri(), 1, document.language, document, document.text)
    start = types.Position(0, 0)
    asked = types.CodeActionParams(
        types.TextDocumentIdentifier(buffer.uri),
        types.Range(start, start),
        types.CodeActionContext([], only=[FIX_ALL]),
    )
    text = document.text
    for action in fix_all(report, buffer, asked, Settings(), Sources(read_text), "utf-16", versioned=False):
        assert action.edit is not None and action.edit.changes is not None
        ((uri, edits),) = action.edit.changes.items()
        assert unquote(urlsplit(uri).path) == str(Path(name).absolute())
        text = apply_edits(text, (as_ours(document.lines, edit) for edit in edits))
    return found.encode(text)


def as_ours(lines: LineIndex, edit: types.TextEdit) -> Edit:
    ends = (edit.range.start, edit.range.end)
    return Edit(Span(*(lines.offset(Position(end.line, end.character), "utf-16") for end in ends)), edit.new_text)
