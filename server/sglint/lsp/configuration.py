"""The client's configuration: asked for where the client can be asked, and again whenever it says that it changed."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .buffers import path_of
from .options import SECTION
from .state import SglintServer, log


async def begin(server: SglintServer) -> None:
    """Ask once, and to be told of changes."""
    workspace = server.client_capabilities.workspace
    changes = workspace.did_change_configuration if workspace else None
    if changes is not None and changes.dynamic_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        try:
            await server.client_register_capability_async(
                types.RegistrationParams([types.Registration("sglint.configuration", method)])
            )
        except JsonRpcException as error:
            log.warning("the client does not tell of changed settings: %s", error)
    await pull(server)


async def pull(server: SglintServer) -> None:
    """Ask for the settings of each workspace folder and of all; lint anew where they differ from before."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    folders: list[str | None] = [None, *server.workspace.folders]
    items = [types.ConfigurationItem(scope_uri=folder, section=SECTION) for folder in folders]
    try:
        answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
    except JsonRpcException as error:
        log.warning("the client gives no settings: %s", error)
        return
    by_folder = {folder and path_of(folder): answer for folder, answer in zip(folders, answers or (), strict=False)}
    if server.options.pull(by_folder):
        server.settings_changed()
