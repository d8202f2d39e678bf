"""Files beside the open ones: configuration, charts, sourced scripts. A change there can change findings here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ..settings import FILES
from .state import SglintServer, log

PATTERNS = (*(f"**/{name}" for name in FILES), "**/*.{yaml,yml,tpl,sh,bash,env,json}", "**/.env", "**/Dockerfile")


async def register(server: SglintServer) -> None:
    """Ask the client to watch, where it can be asked; others watch what their own configuration names."""
    workspace = server.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if watched is None or not watched.dynamic_registration:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(each) for each in PATTERNS])
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    try:
        await server.client_register_capability_async(
            types.RegistrationParams([types.Registration("sglint.files", method, options)])
        )
    except JsonRpcException as error:
        log.warning("the client watches no files: %s", error)


def files_changed(server: SglintServer, paths: Sequence[str]) -> None:
    """Lint again what the files bear on: a configuration on everything, others on what reads them."""
    if any(PurePath(path).name in FILES for path in paths):
        server.settings_changed()
    else:
        server.files_changed(paths)
        # A client that keeps its request for the workspace open learns of files that are new.
        server.told.changed()
