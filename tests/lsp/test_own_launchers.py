"""A user's own launchers in the editor: in open files, Python among them, and in a scan of the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from .conftest import SERVER, begin
from .talk import TIMEOUT, Session

SCRIPT = "./start.sh --tpsize 2\n"
PROGRAM = "# 😀\nx = '😀'; run(['./start.sh', '--tpsize'])\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "other.sh").write_text("./other.sh --tpsize 2\n", encoding="utf-8")
    (tmp_path / "sglint.toml").write_text('launchers = ["start.sh"]\n', encoding="utf-8")
    return tmp_path


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient, folder: Path) -> AsyncIterator[None]:
    await begin(lsp_client, "visual-studio-code", "utf-16", pulls=True, folders={"work": folder.as_uri()})
    yield
    await lsp_client.shutdown_session()


async def test_own_launchers_are_found(session: Session, folder: Path) -> None:
    asked = session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=[]))
    report = await asyncio.wait_for(asked, TIMEOUT)
    codes = {item.uri.rpartition("/")[2]: [each.code for each in getattr(item, "items", [])] for item in report.items}
    assert "SGL020" in codes["run.sh"]
    assert codes.get("other.sh", []) == []
    _, diagnostics = await session.open("run.py", "python", PROGRAM, str(folder))
    found = next(each for each in diagnostics if each.code == "SGL020")
    line = PROGRAM.splitlines()[1]
    start = len(line[: line.index("--tpsize")].encode("utf-16-le")) // 2
    assert (found.range.start, found.range.end) == (types.Position(1, start), types.Position(1, start + 8))
