"""Completion, flag hovers and the look at another release, over the real process."""

from __future__ import annotations

import pytest
from lsprotocol import types

from sglint import catalogue
from sglint.text import LineIndex

from .talk import Session

NEWEST = catalogue.releases()[-1]
SCRIPT = """\
#!/bin/bash
# sglint: file release=0.5.18 gpu=h200
echo "🚀"; python3 -m sglang.launch_server --model-path openai/gpt-oss-120b --att --cuda-graph-max-bs 64
"""

pytestmark = pytest.mark.asyncio


def place(session: Session, text: str, at: int) -> types.Position:
    return types.Position(*LineIndex(text).position(at, session.encoding))


async def completed(session: Session, uri: str, at: int) -> list[types.CompletionItem]:
    answer = await session.client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), place(session, session.texts[uri], at))
    )
    assert isinstance(answer, types.CompletionList)
    return list(answer.items)


async def test_a_half_typed_flag_is_completed_in_its_own_range(session: Session) -> None:
    uri, _ = await session.open("complete.sh", "shellscript", SCRIPT)
    items = await completed(session, uri, SCRIPT.index("--att") + len("--att"))
    item = next(item for item in items if item.label == "--attention-backend")
    assert isinstance(item.text_edit, types.TextEdit)
    assert session.words_at(uri, item.text_edit.range) == "--att"
    assert item.text_edit.new_text == "--attention-backend"
    assert item.documentation


async def test_away_from_launches_nothing_is_offered(session: Session) -> None:
    uri, _ = await session.open("nothing.sh", "shellscript", SCRIPT)
    assert await completed(session, uri, SCRIPT.index("echo") + 2) == []


async def test_hover_explains_a_flag(session: Session) -> None:
    uri, _ = await session.open("flag.sh", "shellscript", SCRIPT)
    answer = await session.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), place(session, SCRIPT, SCRIPT.index("--model-path") + 3))
    )
    assert answer is not None and isinstance(answer.contents, types.MarkupContent)
    assert "Where the weights come from" in answer.contents.value
    assert answer.range is not None
    assert session.words_at(uri, answer.range) == "--model-path"


async def test_a_lens_says_what_the_newest_release_changes(session: Session) -> None:
    uri, _ = await session.open("lens.sh", "shellscript", SCRIPT)
    lens = (
        await session.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
        or []
    )[-1]
    assert lens.command is None
    shown = await session.client.code_lens_resolve_async(lens)
    assert shown.command is not None
    assert shown.command.title.startswith(f"SGLang {NEWEST}: ")
    page = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(shown.command.command, shown.command.arguments)
    )
    assert "Would break" in page


async def test_one_action_respells_the_launch(session: Session) -> None:
    text = SCRIPT.replace("--att ", "")
    uri, _ = await session.open("respell.sh", "shellscript", text)
    at = place(session, text, text.index("sglang.launch"))
    actions = await session.actions(uri, types.Range(at, at), [types.CodeActionKind.RefactorRewrite])
    (action,) = actions
    assert action.title == f"Spell this launch as SGLang {NEWEST} does"
    assert session.applied(uri, action) == text.replace("--cuda-graph-max-bs", "--cuda-graph-max-bs-decode")
