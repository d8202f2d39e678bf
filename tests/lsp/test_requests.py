"""Requests and commands of our own: status, launches of many files, memory plan, rule pages, lenses with verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint import catalogue
from sglint.hosts import MAX_CHARACTERS

from .conftest import SERVER, begin
from .talk import TIMEOUT, Session
from .texts import MANIFEST, SCRIPT

pytestmark = pytest.mark.asyncio


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    """One editor: these requests carry no positions but whole lines, and no editor's own capabilities matter."""
    await begin(lsp_client, "visual-studio-code")
    yield
    await lsp_client.shutdown_session()


async def ask(session: Session, method: str, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(f"sglint/{method}", params)


async def test_status_says_what_runs_and_where_that_is_from(session: Session) -> None:
    uri, _ = await session.open("status.yaml", "yaml", MANIFEST)
    status = await ask(session, "status", uri=uri, position={"line": MANIFEST.count("\n") - 1, "character": 0})
    (launch,) = status.launches
    assert (status.state, status.launch) == ("launches", 0)
    assert (launch.release.value, launch.release.source) == ("0.5.18", "image tag")
    assert (launch.gpu.value, launch.gpu.source) == ("h200", "node label")
    assert (launch.verdict.status, launch.verdict.code) == ("refused", "SGL101")
    assert MANIFEST.split("\n")[launch.range.start.line].endswith('"sglang.launch_server"]')


@pytest.mark.parametrize(
    ("name", "language", "text", "reason"),
    [
        ("plain.sh", "shellscript", "echo hello\n", "does not mention sglang"),
        ("talk.sh", "shellscript", "# how to start sglang\n", "no command in it starts a server"),
        ("bench.sh", "shellscript", "python3 -m sglang.bench_serving --port 1\n", "Nothing here starts"),
        ("notes.txt", "plaintext", "sglang\n", "does not read this kind of file"),
        ("long.sh", "shellscript", f"sglang {'x' * MAX_CHARACTERS}\n", "is longer than"),
        ("nul.sh", "shellscript", "python3 -m sglang.launch_server\0\n", "holds NUL bytes"),
        ("pyproject.toml", "toml", "[tool.sglint]\nrelaese = 1\n", "the part for SGLint has 1 mistake"),
    ],
)
async def test_status_says_why_there_is_nothing(
    session: Session, name: str, language: str, text: str, reason: str
) -> None:
    uri = f"file:///workspace/{name}"
    session.client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
    )
    status = await ask(session, "status", uri=uri)
    assert (status.launches, status.launch) == ([], None)
    assert reason in status.reason


async def test_broken_notation_is_left_to_the_editors_own_servers(session: Session) -> None:
    """They mark it as well; why there are no findings of ours can be asked."""
    broken = MANIFEST.replace("name: chat", "name: chat: broken")
    uri, diagnostics = await session.open("broken.yaml", "yaml", broken)
    assert diagnostics == []
    status = await ask(session, "status", uri=uri)
    assert "does not parse" in status.reason
    uri, diagnostics = await session.open("half.yaml", "yaml", f"{broken}---\n{MANIFEST}")
    assert "SGL101" in {each.code for each in diagnostics}
    assert "SGL001" not in {each.code for each in diagnostics}
    assert "does not parse" in (await ask(session, "status", uri=uri)).reason
    for name, language, text in (
        ("plain.yaml", "yaml", "a: [1, 2\nb: c: d\n"),
        ("plain.sh", "shellscript", "if true; then\necho 'x\n"),
    ):
        assert (await session.open(name, language, text))[1] == []
    _, whole = await session.open("whole.sh", "shellscript", SCRIPT)
    _, half = await session.open("half.sh", "shellscript", f"{SCRIPT}if true; then\n")
    assert [each.code for each in half] == [each.code for each in whole]


async def test_status_says_what_is_hidden_and_by_what(session: Session, tmp_path: Path) -> None:
    (tmp_path / "sglint.toml").write_text('exclude = ["old/*"]\nignore = ["SGL016"]\n', encoding="utf-8")
    (tmp_path / "old").mkdir()
    text = SCRIPT.replace("\necho", "\n# sglint: ignore[SGL101]\necho")
    uri, diagnostics = await session.open("start.sh", "shellscript", text, str(tmp_path))
    assert "SGL101" not in {each.code for each in diagnostics}
    status = await ask(session, "status", uri=uri)
    assert status.state == "launches"
    assert "Hidden by ignore comments: SGL101." in status.reason
    assert "Left out by settings: SGL016." in status.reason
    assert status.configuration == str(tmp_path / "sglint.toml")
    uri, diagnostics = await session.open("start.sh", "shellscript", SCRIPT, str(tmp_path / "old"))
    assert diagnostics == []
    status = await ask(session, "status", uri=uri)
    assert status.state == "excluded"
    assert f"left out by `exclude` of {tmp_path / 'sglint.toml'}" in status.reason


async def test_status_of_files_that_are_not_open(session: Session, tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("sglang\n", encoding="utf-8")
    (tmp_path / "latin.sh").write_bytes(b"# sglang \xe9\n")
    for name, state, reason in (
        ("start.sh", "launches", "1 launch, "),
        ("notes.txt", "not read", "does not read this kind of file"),
        ("latin.sh", "not read", "is not UTF-8"),
        ("gone.sh", "not read", "There is no such file"),
    ):
        status = await ask(session, "status", uri=(tmp_path / name).as_uri())
        assert (status.state, reason in status.reason) == (state, True), (name, status.reason)


async def test_launches_of_open_and_of_closed_files(session: Session, tmp_path: Path) -> None:
    uri, _ = await session.open("open.yaml", "yaml", MANIFEST)
    closed, other = tmp_path / "closed.sh", tmp_path / "other.sh"
    closed.write_text(SCRIPT, encoding="utf-8")
    other.write_text("echo sglang\n", encoding="utf-8")
    found = await ask(session, "launches", uris=[uri, closed.as_uri(), other.as_uri(), (tmp_path / "no.sh").as_uri()])
    assert [file["uri"] for file in found] == [uri, closed.as_uri()]
    assert [launch["verdict"]["code"] for file in found for launch in file["launches"]] == ["SGL101", "SGL101"]


async def test_memory_plan_of_the_launch_at_a_place(session: Session) -> None:
    text = MANIFEST + "---\n" + MANIFEST.replace("openai/gpt-oss-120b", "openai/gpt-oss-20b")
    uri, _ = await session.open("two.yaml", "yaml", text)
    page = await ask(session, "memoryPlan", uri=uri, position={"line": text.count("\n") - 2, "character": 0})
    assert page.launch.model.value == "openai/gpt-oss-20b"
    assert page.plan.max_total_num_tokens > 0
    assert any("full tokens" in fix.effect for fix in page.fixes)
    assert "| pool | tokens |" in page.markdown
    assert await ask(session, "memoryPlan", uri=uri, launch=7) is None


async def test_rule_pages_by_code_and_none_for_an_unknown_one(session: Session) -> None:
    assert (await ask(session, "rule", code="SGL101")).startswith("# SGL101: ")
    assert await ask(session, "rule", code="SGL9999") is None


async def test_known_names_are_listed(session: Session) -> None:
    known = await ask(session, "known")
    assert tuple(reversed(known.releases)) == catalogue.releases()
    assert "h200" in known.gpus
    assert any(rule.code == "SGL101" for rule in known.rules)


async def test_a_lens_gives_the_verdict_here_and_on_the_newest_releases(session: Session) -> None:
    uri, _ = await session.open("lens.yaml", "yaml", MANIFEST)
    lenses = await session.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    shown = await session.client.code_lens_resolve_async((lenses or [])[0])
    assert shown.command is not None
    assert shown.command.title.startswith("SGLang 0.5.18: refused at pool-init by SGL101 (")
    assert f"to {catalogue.releases()[-1]} starts)" in shown.command.title
    page = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(shown.command.command, shown.command.arguments)
    )
    assert "| pool | tokens |" in page


async def test_plain_clients_list_the_launches_of_open_files(session: Session) -> None:
    await session.open("mine.sh", "shellscript", SCRIPT)
    page = await session.client.workspace_execute_command_async(types.ExecuteCommandParams("sglint.showLaunches"))
    assert "/workspace/mine.sh`, line 3: " in page
    assert "refused" in page


async def test_launches_of_the_workspace_come_with_progress(session: Session, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"start{number}.sh").write_text(SCRIPT, encoding="utf-8")
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "work")
    session.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([folder], []))
    )
    page = await session.client.workspace_execute_command_async(types.ExecuteCommandParams("sglint.showLaunches"))
    assert [f"start{number}.sh" in page for number in range(5)] == [True] * 5
    ((begin, *reports, end),) = session.client.parts.values()  # type: ignore[attr-defined]
    assert (begin["kind"], begin["cancellable"], end["kind"]) == ("begin", True, "end")
    assert [report["percentage"] for report in reports] == [20, 40, 60, 80]


async def test_a_scan_that_is_cancelled_gives_what_it_found(session: Session, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"start{number:02}.sh").write_text(SCRIPT, encoding="utf-8")
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "work")
    session.client.workspace_did_change_workspace_folders(
        types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([folder], []))
    )
    command = types.ExecuteCommandParams("sglint.showLaunches")
    waiting = asyncio.ensure_future(session.client.workspace_execute_command_async(command))
    while not session.client.parts:  # type: ignore[attr-defined]
        await session.client.wait_for_notification(types.PROGRESS)
    (token,) = session.client.parts  # type: ignore[attr-defined]
    session.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    page = await asyncio.wait_for(waiting, TIMEOUT)
    assert "start59.sh" not in page
    assert session.client.parts[token][-1]["kind"] == "end"  # type: ignore[attr-defined]


async def test_a_file_that_a_text_reads_is_watched_and_a_change_of_it_counts(session: Session, tmp_path: Path) -> None:
    """The script sources another file; what that says of the model decides."""
    (tmp_path / "model.sh").write_text("MODEL=acme/unknown\n", encoding="utf-8")
    text = SCRIPT.replace("openai/gpt-oss-120b", '"$MODEL"').replace("echo", "source ./model.sh; echo")
    script = tmp_path / "start.sh"
    script.write_text(text, encoding="utf-8")
    codes = {item.code for item in await opened(session, script.as_uri(), text)}
    assert "SGL101" not in codes
    registered = {each.method: each for each in session.client.registered}  # type: ignore[attr-defined]
    watch = registered[types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
    patterns = {watcher["globPattern"] for watcher in watch.register_options["watchers"]}
    assert {"**/sglint.toml", "**/*.{yaml,yml,tpl,sh,bash,env,json}"} <= patterns
    (tmp_path / "model.sh").write_text("MODEL=openai/gpt-oss-120b\n", encoding="utf-8")
    change = types.FileEvent((tmp_path / "model.sh").as_uri(), types.FileChangeType.Changed)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert "SGL101" in {item.code for item in await session.diagnostics(script.as_uri())}


async def test_a_configuration_file_holds_when_it_appears(session: Session, tmp_path: Path) -> None:
    uri = (tmp_path / "start.sh").as_uri()
    assert "SGL101" in {item.code for item in await opened(session, uri, SCRIPT)}
    settings = tmp_path / "sglint.toml"
    settings.write_text('ignore = ["SGL101"]\n', encoding="utf-8")
    change = types.FileEvent(settings.as_uri(), types.FileChangeType.Created)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert "SGL101" not in {item.code for item in await session.diagnostics(uri)}


async def opened(session: Session, uri: str, text: str) -> list[types.Diagnostic]:
    session.texts[uri], session.versions[uri] = text, 1
    item = types.TextDocumentItem(uri, "shellscript", 1, text)
    session.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return await session.diagnostics(uri)
