"""A real server process for each client's capabilities, spoken to over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from sglint.lsp.hover import SHOWS_DIAGNOSTICS

from .talk import Session

SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "sglint", "lsp"])
ENCODINGS = ("utf-8", "utf-16", "utf-32")

# Each editor as it is and with every position encoding, and later ones of them that ask for diagnostics.
CLIENTS = [
    ("visual-studio-code", None, False),
    ("neovim", None, False),
    ("emacs", None, False),
    ("visual-studio-code", "utf-8", False),
    ("visual-studio-code", "utf-32", True),
    ("neovim", "utf-16", True),
    ("neovim", "utf-32", False),
    ("emacs", "utf-8", True),
    ("emacs", "utf-32", False),
]


def id_of(client: tuple[str, str | None, bool]) -> str:
    name, encoding, pulls = client
    return "-".join(part for part in (name, encoding, "pulls" if pulls else None) if part)


@pytest_lsp.fixture(params=CLIENTS, ids=id_of, config=SERVER, scope="module")
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """One server for all tests of a module."""
    name, encoding, pulls = request.param
    await begin(lsp_client, name, encoding, pulls=pulls)
    yield
    await lsp_client.shutdown_session()


async def begin(
    lsp_client: LanguageClient,
    name: str,
    encoding: str | None = None,
    *,
    pulls: bool = False,
    folders: dict[str, str] | None = None,
    settings: dict[str | None, Any] | None = None,
) -> None:
    """Say hello as the editor ``name``, offering only ``encoding`` where one is given.

    With ``pulls`` the editor asks for diagnostics. ``folders`` are the URIs of workspace folders by name, ``settings``
    what it answers when asked for its configuration, by the folder's URI.
    """
    capabilities = client_capabilities(name)
    capabilities.general = capabilities.general or types.GeneralClientCapabilities()
    capabilities.text_document = capabilities.text_document or types.TextDocumentClientCapabilities()
    capabilities.workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
    if encoding:
        capabilities.general.position_encodings = [encoding]
    if pulls:
        capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=True)
        capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    if name == "visual-studio-code":
        capabilities.experimental = {SHOWS_DIAGNOSTICS: True}
    _answer_the_server(lsp_client)
    for folder, own in (settings or {}).items():
        lsp_client.set_configuration({"sglint": own}, scope_uri=folder)
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri="file:///workspace" if folders is None else None,
            workspace_folders=[types.WorkspaceFolder(uri, name) for name, uri in (folders or {}).items()] or None,
            initialization_options={"gpu": "h200"},
        )
    )
    lsp_client.chosen = result.capabilities  # type: ignore[attr-defined]


def _answer_the_server(lsp_client: LanguageClient) -> None:
    """What an editor does when the server asks: agree, and remember it."""
    registered: list[types.Registration] = []
    lsp_client.registered = registered  # type: ignore[attr-defined]

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    parts: dict[types.ProgressToken, list[Any]] = {}
    lsp_client.parts = parts  # type: ignore[attr-defined]
    # The library's own knows work-done progress only.
    del lsp_client.protocol.fm.features[types.PROGRESS]

    @lsp_client.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        parts.setdefault(params.token, []).append(params.value)

    # Waiting for the next notification, as the library does, misses one of two that come together.
    published: dict[str, types.PublishDiagnosticsParams] = {}
    lsp_client.published = published  # type: ignore[attr-defined]
    lsp_client.news = asyncio.Event()  # type: ignore[attr-defined]
    del lsp_client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

    @lsp_client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params: types.PublishDiagnosticsParams) -> None:
        lsp_client.diagnostics[params.uri] = params.diagnostics
        published[params.uri] = params
        lsp_client.news.set()  # type: ignore[attr-defined]

    @lsp_client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh_hints(params: None) -> None:
        return None

    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh_lenses(params: None) -> None:
        return None


@pytest.fixture
def session(client: LanguageClient) -> Session:
    return Session(client)
