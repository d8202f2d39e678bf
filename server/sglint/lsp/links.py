"""Document links; the page of a rule is made when the link is followed."""

from __future__ import annotations

from lsprotocol import types

from ..assist.links import Link, codes_in_configuration, links
from ..rules.findings import Report
from ..text import Encoding
from .buffers import CONFIGURATION
from .convert import to_range
from .hover import shows_diagnostics


def document_links(report: Report, encoding: Encoding, client: types.ClientCapabilities) -> list[types.DocumentLink]:
    document = report.document
    # An editor that draws a line under links would hide what marks a finding; its hover leads there too.
    evidence = not shows_diagnostics(client)
    found = codes_in_configuration(document) if document.language == CONFIGURATION else links(report, evidence=evidence)
    asked = client.text_document.document_link if client.text_document else None
    shown = bool(asked and asked.tooltip_support)
    return [_link(link, report, encoding, shown=shown) for link in found]


def _link(link: Link, report: Report, encoding: Encoding, *, shown: bool) -> types.DocumentLink:
    return types.DocumentLink(
        range=to_range(report.document.lines, link.span, encoding),
        target=link.url,
        tooltip=link.tooltip if shown else None,
        data=None if link.code is None else {"code": link.code},
    )
