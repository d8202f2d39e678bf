"""A real server process for each client's capabilities, spoken to over standard input and output."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from .talk import Session

# Each editor as it is, and each position encoding forced on one of them.
CLIENTS = [
    ("visual-studio-code", None),
    ("neovim", None),
    ("emacs", None),
    ("neovim", "utf-16"),
    ("neovim", "utf-32"),
    ("visual-studio-code", "utf-8"),
]


@pytest_lsp.fixture(
    params=CLIENTS,
    ids=[name if encoding is None else f"{name}-{encoding}" for name, encoding in CLIENTS],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "sglint", "lsp"]),
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    await begin(lsp_client, *request.param)
    yield
    await lsp_client.shutdown_session()


async def begin(lsp_client: LanguageClient, name: str, encoding: str | None = None) -> None:
    """Say hello as the editor ``name``, offering only ``encoding`` where one is given."""
    capabilities = client_capabilities(name)
    registered: list[types.Registration] = []
    lsp_client.registered = registered  # type: ignore[attr-defined]

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    if encoding:
        capabilities.general = capabilities.general or types.GeneralClientCapabilities()
        capabilities.general.position_encodings = [encoding]
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities, root_uri="file:///workspace", initialization_options={"gpu": "h200"}
        )
    )
    lsp_client.chosen = result.capabilities  # type: ignore[attr-defined]


@pytest.fixture
def session(client: LanguageClient) -> Session:
    return Session(client)
