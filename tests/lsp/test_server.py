"""The protocol, over a real server process, with the capabilities of three editors and three encodings."""

from __future__ import annotations

import pytest
from lsprotocol import types

from sglint.lsp.hover import shows_diagnostics
from sglint.text import Span

from .talk import Session
from .texts import MANIFEST, SCRIPT

TEXTS = [
    pytest.param("chat.yaml", "yaml", MANIFEST, id="manifest"),
    pytest.param("chat.sh", "shellscript", SCRIPT, id="script"),
    pytest.param("crlf.yaml", "yaml", MANIFEST.replace("\n", "\r\n"), id="manifest-crlf"),
    pytest.param("bom.yaml", "yaml", "\ufeff" + MANIFEST, id="manifest-bom"),
    pytest.param("tabs.sh", "shellscript", SCRIPT.replace("\n  --", "\n\t--"), id="script-tabs"),
]
ERROR = types.DiagnosticSeverity.Error


def only_error(diagnostics: list[types.Diagnostic]) -> types.Diagnostic:
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == ERROR]
    assert [error.code for error in errors] == ["SGL101"]
    return errors[0]


@pytest.mark.parametrize(("name", "language", "text"), TEXTS)
async def test_conflict_is_marked_at_its_words(session: Session, name: str, language: str, text: str) -> None:
    uri, diagnostics = await session.open(name, language, text)
    error = only_error(diagnostics)
    assert error.source == "sglint"
    assert session.words_at(uri, error.range) == "--enable-unified-memory"
    assert error.related_information
    assert [session.words_at(uri, related.location.range) for related in error.related_information] == [
        "--speculative-algorithm"
    ]
    await session.close(uri)


@pytest.mark.parametrize(("name", "language", "text"), TEXTS)
async def test_every_quick_fix_clears_the_conflict(session: Session, name: str, language: str, text: str) -> None:
    uri, diagnostics = await session.open(name, language, text)
    error = only_error(diagnostics)
    actions = await session.actions(uri, error.range, [types.CodeActionKind.QuickFix])
    applicable = [action for action in actions if action.edit and not action.title.startswith("Ignore ")]
    assert len(applicable) >= 2
    assert all(action.kind == types.CodeActionKind.QuickFix for action in actions)
    for number, action in enumerate(applicable):
        fixed = session.applied(uri, action)
        assert fixed != text
        other, after = await session.open(f"{number}-{name}", language, fixed)
        assert [diagnostic for diagnostic in after if diagnostic.severity == ERROR] == [], action.title
        await session.close(other)
    await session.close(uri)


async def test_only_safe_fixes_are_preferred(session: Session) -> None:
    uri, diagnostics = await session.open("preferred.yaml", "yaml", MANIFEST)
    actions = await session.actions(uri, only_error(diagnostics).range)
    assert actions
    assert not any(action.is_preferred for action in actions)
    await session.close(uri)


async def test_diagnostics_follow_the_text(session: Session) -> None:
    uri, diagnostics = await session.open("follow.yaml", "yaml", MANIFEST)
    only_error(diagnostics)
    start = MANIFEST.index("v0.5.18-cu129")
    after = await session.replace(uri, Span(start, start + len("v0.5.18")), "v0.5.21")
    assert not [diagnostic for diagnostic in after if diagnostic.severity == ERROR]
    assert not await session.close(uri)


async def test_superseded_versions_are_not_published_late(session: Session) -> None:
    uri, _ = await session.open("typing.yaml", "yaml", MANIFEST)
    at = MANIFEST.index("DSPARK")
    text = "DSPARK"
    for _ in range(20):
        await session.replace(uri, Span(at, at + len(text)), "", wait=False)
        await session.replace(uri, Span(at, at), text, wait=False)
    only_error(await session.diagnostics(uri))
    await session.close(uri)


async def test_hover_explains_the_conflict_with_numbers(session: Session) -> None:
    uri, diagnostics = await session.open("hover.yaml", "yaml", MANIFEST)
    error = only_error(diagnostics)
    answer = await session.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), error.range.start)
    )
    assert answer is not None
    assert isinstance(answer.contents, types.MarkupContent)
    assert "SGL101" in answer.contents.value
    assert "36,864" in answer.contents.value, "bytes per token: 18 layers of 2,048"
    repeats = not shows_diagnostics(session.client.capabilities)
    assert (error.message in answer.contents.value) == repeats, "said twice where the editor lists diagnostics itself"
    await session.close(uri)


async def test_hover_away_from_launches_is_empty(session: Session) -> None:
    uri, _ = await session.open("away.yaml", "yaml", MANIFEST)
    answer = await session.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(0, 2))
    )
    assert answer is None
    await session.close(uri)


async def test_symbols_list_the_launch_and_its_options(session: Session) -> None:
    uri, _ = await session.open("symbols.yaml", "yaml", MANIFEST)
    symbols = await session.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    )
    assert symbols is not None
    (launch,) = symbols
    assert isinstance(launch, types.DocumentSymbol)
    assert "openai/gpt-oss-120b" in launch.name
    assert launch.detail == "SGLang 0.5.18: refused"
    assert [child.name for child in launch.children or []] == [
        "--model-path",
        "--attention-backend",
        "--enable-unified-memory",
        "--speculative-algorithm",
        "--speculative-draft-model-path",
    ]
    await session.close(uri)


async def test_a_text_without_launches_is_quiet(session: Session) -> None:
    uri, diagnostics = await session.open("quiet.yaml", "yaml", "kind: Service\nspec:\n  ports: [80]\n")
    assert diagnostics == []
    await session.close(uri)


async def test_lines_end_where_the_protocol_says(session: Session) -> None:
    """A form feed or a line separator in a comment shifts no line."""
    text = "# before\x0c after\u2028 still\n" + SCRIPT
    uri, diagnostics = await session.open("separators.sh", "shellscript", text)
    assert session.words_at(uri, only_error(diagnostics).range) == "--enable-unified-memory"
    at = text.index("DSPARK")
    after = await session.replace(uri, Span(at, at + 6), "DSPARK ")
    assert session.words_at(uri, only_error(after).range) == "--enable-unified-memory"
    await session.close(uri)
