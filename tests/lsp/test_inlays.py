"""Inlay hints over the real process: where they stand, and how an editor turns them off."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint.lsp.inlays import OPTION, wanted

from .conftest import SERVER, begin
from .talk import Session

pytestmark = pytest.mark.asyncio

SCRIPT = """\
# sglint: file release=0.5.20 gpu=h200x2
echo "🚀"; python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp-size 2 \\
  --mem-fraction-static 0.8 \\
  --context-length 8192
"""
WHOLE = types.Range(types.Position(0, 0), types.Position(9, 0))


@pytest_lsp.fixture(params=["utf-8", "utf-16"], config=SERVER)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    await begin(lsp_client, "visual-studio-code", request.param)
    yield
    await lsp_client.shutdown_session()


async def hints(session: Session, uri: str, range_: types.Range = WHOLE) -> list[types.InlayHint]:
    params = types.InlayHintParams(types.TextDocumentIdentifier(uri), range_)
    return list(await session.client.text_document_inlay_hint_async(params) or [])


def text_before(session: Session, uri: str, position: types.Position) -> str:
    span = session.span(session.texts[uri], types.Range(types.Position(position.line, 0), position))
    return session.texts[uri][span.start : span.end]


async def test_hints_stand_behind_their_values(session: Session) -> None:
    uri, _ = await session.open("hints.sh", "shellscript", SCRIPT)
    found = await hints(session, uri)
    assert [text_before(session, uri, hint.position).split()[-2:] for hint in found] == [
        ["--tp-size", "2"],
        ["--mem-fraction-static", "0.8"],
        ["--context-length", "8192"],
    ]
    assert all(str(hint.label).startswith("about ") for hint in found)


async def test_only_the_lines_asked_for(session: Session) -> None:
    uri, _ = await session.open("part.sh", "shellscript", SCRIPT)
    part = types.Range(types.Position(3, 0), types.Position(3, 5))
    assert [hint.position.line for hint in await hints(session, uri, part)] == [3]


async def test_an_option_turns_each_off(session: Session) -> None:
    uri, _ = await session.open("off.sh", "shellscript", SCRIPT)
    for value, count in (({"tp": False}, 2), (False, 0), (True, 3)):
        settings = {"sglint": {OPTION: value}}
        session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
        # The key is the editor's own: it must not be told to be a mistake of the configuration.
        assert [finding.code for finding in await session.diagnostics(uri)] == []
        assert len(await hints(session, uri)) == count


@pytest.mark.parametrize(
    ("options", "off"),
    [({}, set()), ({OPTION: None}, set()), ({OPTION: {"tp": False, "nonsense": False}}, {"tp"})],
)
async def test_what_an_option_leaves_on(options: dict[str, Any], off: set[str]) -> None:
    assert wanted({}) - wanted(options) == off
