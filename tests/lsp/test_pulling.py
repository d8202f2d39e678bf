"""Diagnostics for clients that ask: result ids, related files, the whole workspace, and being told to ask again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint.text import Span

from .conftest import SERVER, begin
from .talk import TIMEOUT, Session
from .test_charts import TEMPLATE, VALUES
from .texts import MANIFEST, SCRIPT

Full = types.WorkspaceFullDocumentDiagnosticReport
Unchanged = types.WorkspaceUnchangedDocumentDiagnosticReport


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace: two files with the conflict, one without a launch, one excluded."""
    (tmp_path / "one.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "two.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "three.yaml").write_text("kind: Service\n", encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "four.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "sglint.toml").write_text('exclude = ["old/*"]\n', encoding="utf-8")
    return tmp_path


@pytest_lsp.fixture(
    params=[("visual-studio-code", "utf-16"), ("neovim", "utf-8"), ("emacs", "utf-32")],
    ids=lambda each: "-".join(each),
    config=SERVER,
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient, folder: Path) -> AsyncIterator[None]:
    name, encoding = request.param
    await begin(lsp_client, name, encoding, pulls=True, folders={"work": folder.as_uri()})
    yield
    await lsp_client.shutdown_session()


async def workspace(
    session: Session, previous: dict[str, str] | None = None, **tokens: str
) -> types.WorkspaceDiagnosticReport:
    known = [types.PreviousResultId(uri, id) for uri, id in (previous or {}).items()]
    params = types.WorkspaceDiagnosticParams(previous_result_ids=known, **tokens)
    return await asyncio.wait_for(session.client.workspace_diagnostic_async(params), TIMEOUT)


async def until(condition: Callable[[], bool]) -> None:
    """Let messages arrive until the condition holds; fails when it does not within the time for any test."""

    async def look() -> None:
        while not condition():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), TIMEOUT)


async def test_a_client_that_asks_is_not_pushed_to(session: Session, folder: Path) -> None:
    uri, diagnostics = await session.open("one.yaml", "yaml", MANIFEST, str(folder))
    assert [each.code for each in diagnostics if each.severity == types.DiagnosticSeverity.Error] == ["SGL101"]
    assert diagnostics[0].data == {"revision": 1, "code": diagnostics[0].code, "fixes": []}
    assert await session.close(uri) == []
    await workspace(session)
    assert session.client.diagnostics == {}


async def test_a_result_is_known_by_its_id(session: Session, folder: Path) -> None:
    uri, _ = await session.open("one.yaml", "yaml", MANIFEST, str(folder))
    first = await session.pull(uri)
    again = await session.pull(uri, first.result_id)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    at = MANIFEST.index("            - --enable-unified-memory")
    await session.replace(uri, Span(at, at + len("            - --enable-unified-memory\n")), "", wait=False)
    other = await session.pull(uri, first.result_id)
    assert isinstance(other, types.RelatedFullDocumentDiagnosticReport)
    assert "SGL101" not in {each.code for each in other.items}
    # Nothing in the text moved a finding: the same result at another version.
    await session.replace(uri, Span(len(session.texts[uri]), len(session.texts[uri])), "# end\n", wait=False)
    assert isinstance(await session.pull(uri, other.result_id), types.RelatedUnchangedDocumentDiagnosticReport)


async def test_a_template_tells_what_stands_in_its_values(session: Session, folder: Path) -> None:
    chart = folder / "chart"
    (chart / "templates").mkdir(parents=True)
    for name, text in (("Chart.yaml", "name: chart\n"), ("values.yaml", VALUES), ("templates/pod.yaml", TEMPLATE)):
        (chart / name).write_text(text, encoding="utf-8")
    uri, _ = await session.open("pod.yaml", "yaml", TEMPLATE, str(chart / "templates"))
    report = await session.pull(uri)
    values = (chart / "values.yaml").as_uri()
    assert report.related_documents is not None
    related = report.related_documents[values]
    assert isinstance(related, types.FullDocumentDiagnosticReport)
    assert {each.code for each in related.items} >= {"SGL020"}
    # The same as somebody gets who asks for the values.
    own = await session.pull(values)
    assert isinstance(own, types.RelatedFullDocumentDiagnosticReport)
    assert (own.result_id, own.items) == (related.result_id, related.items)
    # What is mended is told too.
    mended = VALUES.replace("tp-sise", "tp-size")
    other, _ = await session.open("values.yaml", "yaml", mended, str(chart))
    await until(lambda: session.client.diagnostic_refresh_count > 0)
    after = await session.pull(uri)
    assert after.related_documents is not None
    assert "SGL020" not in {each.code for each in after.related_documents[other].items}


async def test_another_file_that_changes_a_result_has_the_client_ask_again(session: Session, folder: Path) -> None:
    text = SCRIPT.replace("openai/gpt-oss-120b", '"$MODEL"').replace("echo", "source ./model.sh; echo")
    (folder / "model.sh").write_text("MODEL=acme/unknown\n", encoding="utf-8")
    uri, diagnostics = await session.open("start.sh", "shellscript", text, str(folder))
    assert "SGL101" not in {each.code for each in diagnostics}
    assert session.client.diagnostic_refresh_count == 0
    other, _ = await session.open("model.sh", "shellscript", "MODEL=acme/unknown\n", str(folder))
    assert session.client.diagnostic_refresh_count == 0
    at = len("MODEL=")
    await session.replace(other, Span(at, at + len("acme/unknown")), "openai/gpt-oss-120b", wait=False)
    await until(lambda: session.client.diagnostic_refresh_count > 0)
    assert "SGL101" in {each.code for each in await session.diagnostics(uri)}


async def test_the_workspace_is_read_whole_once(session: Session, folder: Path) -> None:
    found = await workspace(session)
    assert {item.uri for item in found.items} == {(folder / name).as_uri() for name in ("one.yaml", "two.sh")}
    assert all(isinstance(item, Full) and item.version is None for item in found.items)
    codes = [each.code for item in found.items if isinstance(item, Full) for each in item.items]
    assert codes.count("SGL101") == 2
    again = await workspace(session, {item.uri: item.result_id or "" for item in found.items})
    assert all(isinstance(item, Unchanged) for item in again.items)
    (folder / "two.sh").unlink()
    last = await workspace(session, {item.uri: item.result_id or "" for item in found.items})
    gone = next(item for item in last.items if item.uri.endswith("two.sh"))
    assert isinstance(gone, Full)
    assert not gone.items


async def test_an_open_text_counts_as_it_is(session: Session, folder: Path) -> None:
    uri, _ = await session.open("one.yaml", "yaml", MANIFEST.replace("v0.5.18", "v0.5.21"), str(folder))
    found = await workspace(session)
    item = next((item for item in found.items if item.uri == uri), None)
    assert item is None or (isinstance(item, Full) and item.version == 1)
    codes = {each.code for each in item.items} if isinstance(item, Full) else set()
    assert "SGL101" not in codes


async def test_a_client_that_streams_is_answered_when_something_changes(session: Session, folder: Path) -> None:
    first = await workspace(session, partial_result_token="first", work_done_token="work")
    assert not first.items
    parts = session.client.parts  # type: ignore[attr-defined]
    (part,) = parts["first"]
    assert len(part["items"]) == 2
    kinds = [report["kind"] for report in parts["work"]]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    previous = {item["uri"]: item["resultId"] for item in part["items"]}
    waiting = asyncio.ensure_future(workspace(session, previous, partial_result_token="second"))
    # An answer to a later request shows that the waiting one was not just about to be answered.
    await session.client.protocol.send_request_async("sglint/status", {"uri": (folder / "one.yaml").as_uri()})
    assert not waiting.done()
    (folder / "sglint.toml").write_text('ignore = ["SGL1"]\n', encoding="utf-8")
    change = types.FileEvent((folder / "sglint.toml").as_uri(), types.FileChangeType.Changed)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert not (await waiting).items
    told = {item["uri"] for part in parts["second"] for item in part["items"]}
    assert told >= set(previous)


async def test_a_client_that_has_had_enough_is_obeyed(session: Session, folder: Path) -> None:
    await workspace(session, partial_result_token="token")
    params = types.WorkspaceDiagnosticParams(previous_result_ids=[], partial_result_token="token")
    waiting = session.client.protocol.send_request_async(types.WORKSPACE_DIAGNOSTIC, params, msg_id="mine")
    task = asyncio.ensure_future(waiting)
    await session.client.protocol.send_request_async("sglint/status", {"uri": (folder / "one.yaml").as_uri()})
    session.client.cancel_request(types.CancelParams("mine"))
    with pytest.raises(Exception, match="cancel"):
        await asyncio.wait_for(task, TIMEOUT)
    _, diagnostics = await session.open("two.sh", "shellscript", SCRIPT, str(folder))
    assert diagnostics
