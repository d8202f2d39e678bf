"""Somebody types a whole file, one character at a time: never an exception, a stale squiggle or a wrong column."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint.lint import lint
from sglint.lint.seen import seen_in_its_file
from sglint.lsp.results import LEFT_TO_OTHERS
from sglint.settings import Settings
from sglint.text import Document, LineIndex, Sources, Span

from .conftest import SERVER, begin
from .talk import Session
from .test_charts import TEMPLATE, VALUES
from .texts import MANIFEST, SCRIPT

Seen = set[tuple[str, str, str]]


@pytest_lsp.fixture(
    params=[
        ("visual-studio-code", "utf-16", True),
        ("visual-studio-code", "utf-16", False),
        ("neovim", "utf-8", False),
        ("emacs", "utf-32", False),
    ],
    ids=lambda each: "-".join((each[0], each[1], "pulls" if each[2] else "pushed")),
    config=SERVER,
    scope="module",
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    name, encoding, pulls = request.param
    await begin(lsp_client, name, encoding, pulls=pulls, folders={})
    yield
    await lsp_client.shutdown_session()


def expected(path: str, text: str, language: str) -> Seen:
    """What the engine itself says of a text, and an editor shows, without a server: code, words under it, message."""
    disk = Sources(lambda name: Path(name).read_text(encoding="utf-8") if Path(name).is_file() else None)
    sources = Sources(lambda name: text if name == path else disk.read(name))
    report = seen_in_its_file(lint(Document(path, text, language), Settings(gpu="h200"), sources, fixes=False))
    return {
        (finding.code, text[finding.span.start : finding.span.end], finding.message.split("\n")[0])
        for finding in report.findings
        if finding.path == path and finding.code not in LEFT_TO_OTHERS
    }


@pytest.mark.parametrize(
    ("name", "language", "kind", "text", "from_"),
    [
        ("typed.yaml", "yaml", "yaml", MANIFEST.replace("\n", "\r\n"), "command:"),
        ("typed.sh", "shellscript", "shell", SCRIPT, "python3"),
        ("values.yaml", "helm-values", "yaml", "# é 🚀\n" + VALUES, ""),
    ],
    ids=["manifest", "script", "values"],
)
async def test_every_state_has_its_own_findings(
    session: Session, tmp_path: Path, name: str, language: str, kind: str, text: str, from_: str
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("name: chart\n", encoding="utf-8")
    (tmp_path / "templates" / "pod.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "values.yaml").write_text(VALUES, encoding="utf-8")
    begun = text.index(from_)
    uri, _ = await session.open(name, language, text[:begun], str(tmp_path))
    for at in range(begun, len(text)):
        # An editor sends the two halves of a line end at once.
        if text[at - 1 : at + 1] == "\r\n":
            continue
        typed = "\r\n" if text[at] == "\r" else text[at]
        end = len(session.texts[uri])
        waits = at % 7 == 0 or at > len(text) - 4
        found = await session.replace(uri, Span(end, end), typed, wait=waits)
        if waits:
            assert_right(session, uri, found, str(tmp_path / name), kind)
    assert session.texts[uri] == text
    await session.close(uri)
    _, fresh = await session.open(name, language, text, str(tmp_path))
    assert [look(each) for each in found] == [look(each) for each in fresh]
    await session.close(uri)


def assert_right(session: Session, uri: str, found: list[types.Diagnostic], path: str, kind: str) -> None:
    """The findings are those of the text as it is, at their words, inside its lines."""
    text = session.texts[uri]
    lines = LineIndex(text)
    for each in found:
        span = session.span(text, each.range)
        assert session.range(text, span) == each.range
        assert each.range.end.line < len(lines.starts)
    seen = {(str(each.code), session.words_at(uri, each.range), each.message.split("\n")[0]) for each in found}
    assert "SGL000" not in {code for code, _, _ in seen}
    assert seen == expected(path, text, kind)


def look(each: types.Diagnostic) -> str:
    return repr((each.range, each.code, each.severity, each.message, each.related_information))
