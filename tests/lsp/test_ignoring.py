"""Ignore actions over the real process: comments in the text, and the project's configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import SERVER, begin
from .talk import Session
from .test_server import ERROR
from .texts import MANIFEST, SCRIPT


@pytest_lsp.fixture(
    params=[("visual-studio-code", "utf-16", True), ("neovim", "utf-8", False), ("emacs", "utf-32", False)],
    ids=lambda each: each[0],
    config=SERVER,
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    name, encoding, pulls = request.param
    await begin(lsp_client, name, encoding, pulls=pulls, folders={"work": tmp_path.as_uri()})
    yield
    await lsp_client.shutdown_session()


async def ignores(session: Session, uri: str, diagnostics: list[types.Diagnostic]) -> dict[str, types.CodeAction]:
    error = next(each for each in diagnostics if each.severity == ERROR)
    actions = await session.actions(uri, error.range, [types.CodeActionKind.QuickFix])
    return {action.title: action for action in actions if action.title.startswith("Ignore ")}


@pytest.mark.parametrize(
    ("name", "language", "text"), [("chat.yaml", "yaml", MANIFEST), ("chat.sh", "shellscript", SCRIPT)]
)
async def test_comments_hide_the_finding(session: Session, tmp_path: Path, name: str, language: str, text: str) -> None:
    uri, diagnostics = await session.open(name, language, text, str(tmp_path))
    found = await ignores(session, uri, diagnostics)
    for number, title in enumerate(("Ignore SGL101 for this launch", "Ignore SGL101 in this file")):
        action = found[title]
        assert not action.is_preferred
        assert [each.code for each in action.diagnostics or []] == ["SGL101"]
        _, after = await session.open(f"{number}-{name}", language, session.applied(uri, action), str(tmp_path))
        assert [each for each in after if each.severity == ERROR] == []


async def test_a_configuration_is_made_by_editors_that_make_files(session: Session, tmp_path: Path) -> None:
    uri, diagnostics = await session.open("chat.yaml", "yaml", MANIFEST, str(tmp_path))
    action = (await ignores(session, uri, diagnostics)).get("Ignore SGL101 in this project (sglint.toml)")
    made = (tmp_path / "sglint.toml").as_uri()
    if action is None:
        # This editor says that it makes no files.
        assert not session.makes_files
        return
    assert action.edit is not None and action.edit.document_changes is not None
    create, content = action.edit.document_changes
    assert isinstance(create, types.CreateFile) and isinstance(content, types.TextDocumentEdit)
    assert (create.uri, content.text_document.uri) == (made, made)
    (tmp_path / "sglint.toml").write_text(content.edits[0].new_text, encoding="utf-8")  # type: ignore[union-attr]
    change = types.FileEvent(made, types.FileChangeType.Created)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert "SGL101" not in {each.code for each in await session.diagnostics(uri)}


async def test_the_configuration_that_is_there_is_changed(session: Session, tmp_path: Path) -> None:
    (tmp_path / "sglint.toml").write_text('# ours\nignore = ["SGL020"]\n', encoding="utf-8")
    uri, diagnostics = await session.open("chat.yaml", "yaml", MANIFEST, str(tmp_path))
    action = (await ignores(session, uri, diagnostics))["Ignore SGL101 in this project (sglint.toml)"]
    assert action.edit is not None
    changes = action.edit.document_changes
    edits = changes[0].edits if changes else (action.edit.changes or {})[(tmp_path / "sglint.toml").as_uri()]  # type: ignore[union-attr]
    assert [edit.new_text for edit in edits] == [', "SGL101"']  # type: ignore[union-attr]
    assert edits[0].range.start == types.Position(1, len('ignore = ["SGL020"'))
