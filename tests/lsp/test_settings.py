"""Settings: asked of the client, by folder, from the nearest configuration, while it is being edited, and broken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint.lsp.options import Options, known_only, spelled
from sglint.text import Span

from .conftest import SERVER, begin
from .talk import TIMEOUT, Session
from .texts import SCRIPT

BARE = "python3 -m sglang.launch_server --model-path openai/gpt-oss-120b\n"


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("one", "two")}
    for folder in found.values():
        folder.mkdir()
    return found


@pytest_lsp.fixture(
    params=[("visual-studio-code", "utf-16", True), ("neovim", "utf-8", False), ("emacs", "utf-32", False)],
    ids=lambda each: each[0],
    config=SERVER,
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, folders: dict[str, Path]
) -> AsyncIterator[None]:
    """An editor with two folders, whose settings name a release in one of them and SGLint's options in its own way."""
    name, encoding, pulls = request.param
    two = folders["two"].as_uri()
    await begin(
        lsp_client,
        name,
        encoding,
        pulls=pulls,
        folders={name: folder.as_uri() for name, folder in folders.items()},
        settings={None: {"release": "0.5.20", "path": ["sglint"], "select": []}, two: {"release": "0.5.16"}},
    )
    yield
    await lsp_client.shutdown_session()


async def release_of(session: Session, uri: str) -> tuple[str, str]:
    status = await session.client.protocol.send_request_async("sglint/status", {"uri": uri})
    (launch,) = status.launches
    return launch.release.value, launch.release.source


async def test_each_folder_has_the_settings_the_editor_gives_it(session: Session, folders: dict[str, Path]) -> None:
    one, _ = await session.open("start.sh", "shellscript", BARE, str(folders["one"]))
    two, _ = await session.open("start.sh", "shellscript", BARE, str(folders["two"]))
    assert await release_of(session, one) == ("0.5.20", "setting")
    assert await release_of(session, two) == ("0.5.16", "setting")
    assert session.client.messages == []


async def test_a_change_is_asked_for(session: Session, folders: dict[str, Path]) -> None:
    uri, _ = await session.open("start.sh", "shellscript", BARE, str(folders["one"]))
    assert await release_of(session, uri) == ("0.5.20", "setting")
    session.client.set_configuration({"sglint": {"release": "0.5.18"}})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await becomes(session, uri, "0.5.18")
    # Settings that are told in the notification itself are understood too.
    session.client.set_configuration({})
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"sglint": {"release": "0.5.17", "gpu": None}})
    )
    await becomes(session, uri, "0.5.17")


async def becomes(session: Session, uri: str, release: str) -> None:
    """The server asks the client back before a change holds; look until it does."""

    async def look() -> None:
        while (await release_of(session, uri))[0] != release:
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), TIMEOUT)


async def test_the_nearest_configuration_holds_and_its_change_counts(
    session: Session, folders: dict[str, Path]
) -> None:
    inner = folders["one"] / "inner"
    inner.mkdir()
    (folders["one"] / "sglint.toml").write_text('ignore = ["SGL020"]\n', encoding="utf-8")
    (inner / "sglint.toml").write_text('ignore = ["SGL1"]\n', encoding="utf-8")
    uri, near = await session.open("start.sh", "shellscript", SCRIPT, str(inner))
    _, outer = await session.open("start.sh", "shellscript", SCRIPT, str(folders["one"]))
    assert "SGL101" in {each.code for each in outer}
    assert "SGL101" not in {each.code for each in near}
    (inner / "sglint.toml").unlink()
    gone = types.FileEvent((inner / "sglint.toml").as_uri(), types.FileChangeType.Deleted)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
    assert "SGL101" in {each.code for each in await session.diagnostics(uri)}


async def test_mistakes_in_a_configuration_are_marked_while_it_is_typed(
    session: Session, folders: dict[str, Path]
) -> None:
    text = '# é 🚀\nreleese = "0.5.18"\n'
    uri, diagnostics = await session.open("sglint.toml", "toml", text, str(folders["one"]))
    (wrong,) = diagnostics
    assert (wrong.code, session.words_at(uri, wrong.range)) == ("SGL012", "releese")
    at = text.index("releese")
    assert await session.replace(uri, Span(at, at + len("releese")), "release") == []


async def test_a_broken_configuration_is_marked_where_it_stands_and_the_last_good_one_holds(
    session: Session, folders: dict[str, Path]
) -> None:
    file = folders["one"] / "sglint.toml"
    file.write_text('ignore = ["SGL101"]\n', encoding="utf-8")
    uri, good = await session.open("start.sh", "shellscript", SCRIPT, str(folders["one"]))
    assert "SGL101" not in {each.code for each in good}
    file.write_text('ignore = ["SGL101"\n', encoding="utf-8")
    changed = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    assert "SGL101" not in {each.code for each in await session.diagnostics(uri)}
    if session.pulls:
        report = await session.pull(uri)
        assert report.related_documents is not None
        told = report.related_documents[file.as_uri()]
        assert isinstance(told, types.FullDocumentDiagnosticReport)
        found = list(told.items)
    else:
        found = session.client.diagnostics.get(file.as_uri()) or await session.published(file.as_uri(), None)  # type: ignore[assignment]
    assert [each.code for each in found] == ["SGL012"]
    status = await session.client.protocol.send_request_async("sglint/status", {"uri": uri})
    assert "Mistakes in sglint.toml: " in status.reason
    assert status.configuration == str(file)


async def test_options_that_cannot_be_used_are_told_to_the_user(session: Session, folders: dict[str, Path]) -> None:
    settings = {"sglint": {"relaese": "0.5.18"}}
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    while not session.client.messages:
        await session.client.wait_for_notification(types.WINDOW_SHOW_MESSAGE)
    assert "did you mean `release`?" in session.client.messages[0].message


async def test_options_are_understood_in_the_editors_spelling() -> None:
    assert spelled({"targetReleases": ">=0.5.18", "gpu": "", "select": [], "ignore": ["SGL1"], "model": None}) == {
        "target-releases": ">=0.5.18",
        "ignore": ["SGL1"],
    }
    assert known_only({"gpu": "h200", "interpreter": ["python3"], "trace.server": "off"}) == {"gpu": "h200"}


async def test_a_folders_answer_is_nearest() -> None:
    options = Options()
    options.begin({"gpu": "h200", "release": "0.5.18"})
    assert options.pull({None: {"release": "0.5.19"}, "/one": {"release": "0.5.20"}, "/two": None})
    assert options.of("/one") == {"gpu": "h200", "release": "0.5.20"}
    assert options.of("/two") == {"gpu": "h200", "release": "0.5.19"}
    assert not options.pull({None: {"release": "0.5.19"}, "/one": {"release": "0.5.20"}})
    assert options.notify({"sglint": {"gpu": "b200"}})
    assert options.of(None) == {"gpu": "b200", "release": "0.5.19"}
    assert not options.notify({"other": {}})
