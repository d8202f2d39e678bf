"""Links, definitions and references over the real process."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types

from sglint.lsp.hover import shows_diagnostics
from sglint.text import LineIndex, Span

from .talk import Session
from .test_charts import TEMPLATE, VALUES
from .texts import MANIFEST

UPSTREAM = "https://github.com/sgl-project/sglang"


def place(session: Session, text: str, at: int) -> types.Position:
    return types.Position(*LineIndex(text).position(at, session.encoding))


async def links(session: Session, uri: str) -> dict[str, types.DocumentLink]:
    params = types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
    found = await session.client.text_document_document_link_async(params) or ()
    return {session.words_at(uri, link.range): link for link in found}


async def page(session: Session, link: types.DocumentLink) -> str:
    resolved = await session.client.document_link_resolve_async(link)
    assert resolved.target is not None
    return Path(unquote(urlparse(resolved.target).path)).read_text(encoding="utf-8")


async def test_words_lead_to_what_they_name(session: Session) -> None:
    text = MANIFEST.replace("# 🚀 née", "# 🚀 née # sglint: ignore[SGL101, SGL9]")
    uri, _ = await session.open("links.yaml", "yaml", text)
    found = await links(session, uri)
    assert found["v0.5.18-cu129"].target == f"{UPSTREAM}/releases/tag/v0.5.18"
    assert found["openai/gpt-oss-120b"].target == "https://huggingface.co/openai/gpt-oss-120b"
    assert (await page(session, found["SGL101"])).startswith("# SGL101: ")
    assert "SGL9" not in found


async def test_words_of_a_finding_lead_to_where_the_release_decides(session: Session) -> None:
    uri, diagnostics = await session.open("evidence.yaml", "yaml", MANIFEST)
    error = next(each for each in diagnostics if each.code == "SGL101")
    hover = await session.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), error.range.start)
    )
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert f"({UPSTREAM}/blob/v0.5.18/python/sglang/srt/" in hover.contents.value
    found = await links(session, uri)
    if shows_diagnostics(session.client.capabilities):
        assert "--enable-unified-memory" not in found, "the line under a link would hide the squiggle"
        return
    link = found["--enable-unified-memory"]
    assert link.target is not None
    assert link.target.startswith(f"{UPSTREAM}/blob/v0.5.18/python/sglang/srt/")
    text = session.client.capabilities.text_document
    shows = bool(text and text.document_link and text.document_link.tooltip_support)
    assert (link.tooltip is not None) == shows
    assert not shows or link.target.endswith(str(link.tooltip).split()[2].rstrip(","))


async def test_codes_in_a_configuration_lead_to_their_pages(session: Session, tmp_path: Path) -> None:
    text = 'ignore = ["SGL101"]\n\n[severity]\nSGL020 = "warning"\n'
    uri, diagnostics = await session.open("sglint.toml", "toml", text, str(tmp_path))
    assert diagnostics == []
    found = await links(session, uri)
    assert set(found) == {"SGL101", "SGL020"}
    assert (await page(session, found["SGL020"])).startswith("# SGL020: ")


async def test_a_code_leads_to_its_page_where_the_editor_opens_it(session: Session) -> None:
    _, diagnostics = await session.open("code.yaml", "yaml", MANIFEST)
    text = session.client.capabilities.text_document
    assert text is not None
    asked = text.diagnostic if session.pulls else text.publish_diagnostics
    described = bool(asked and asked.code_description_support)
    assert all((each.code_description is not None) == described for each in diagnostics)
    assert all(each.code_description.href.endswith(f"/{each.code}.md") for each in diagnostics if described)  # type: ignore[union-attr]


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("name: chart\n", encoding="utf-8")
    (tmp_path / "values.yaml").write_text(VALUES, encoding="utf-8")
    (tmp_path / "templates" / "pod.yaml").write_text(TEMPLATE, encoding="utf-8")
    return tmp_path


async def test_a_templates_value_is_defined_in_the_values(session: Session, chart: Path) -> None:
    uri, _ = await session.open("pod.yaml", "yaml", TEMPLATE, str(chart / "templates"))
    at = place(session, TEMPLATE, TEMPLATE.index(".Values.model") + 9)
    found = await session.client.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(uri), at)
    )
    assert isinstance(found, list | tuple)
    (location,) = found
    assert isinstance(location, types.Location)
    values = (chart / "values.yaml").as_uri()
    assert location.uri == values
    session.texts[values] = VALUES
    assert session.words_at(values, location.range).startswith("model")


@pytest.mark.parametrize("declaration", [False, True])
async def test_a_value_is_referred_to_by_the_template(session: Session, chart: Path, declaration: bool) -> None:
    text = "# é 🚀\n" + VALUES
    uri, _ = await session.open("values.yaml", "yaml", text, str(chart))
    template = (chart / "templates" / "pod.yaml").as_uri()
    at = place(session, text, text.index("model") + 2)
    context = types.ReferenceContext(declaration)
    found = await session.client.text_document_references_async(
        types.ReferenceParams(context, types.TextDocumentIdentifier(uri), at)
    )
    used = TEMPLATE.index(".Values.model") + len(".Values.")
    assert [location.range for location in found or () if location.uri == template] == [
        session.range(TEMPLATE, Span(used, used + len("model")))
    ]


async def test_elsewhere_there_is_nothing_to_go_to(session: Session) -> None:
    uri, _ = await session.open("nowhere.yaml", "yaml", MANIFEST)
    at = types.Position(0, 0)
    assert not await session.client.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(uri), at)
    )
    assert not await session.client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), types.TextDocumentIdentifier(uri), at)
    )
