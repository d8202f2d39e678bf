"""What SGLint answers beside the protocol: requests ``sglint/*`` for clients of its own, commands for all others."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from .. import __version__, catalogue
from ..assist.wording import upgrade_markdown
from ..models import hardware
from . import overview, upgrades
from .buffers import path_of
from .files import KINDS, why_not_read
from .linting import Linted
from .progress import Progress
from .state import SglintServer, guarded
from .status import status
from .workspace import scan

MEMORY_PLAN = "sglint.memoryPlan"
EXPLAIN_RULE = "sglint.explainRule"
SHOW_LAUNCHES = "sglint.showLaunches"
RESTART = "sglint.restart"


def bind(server: SglintServer) -> None:
    _bind_requests(server)
    _bind_commands(server)


def _bind_requests(server: SglintServer) -> None:
    @server.feature("sglint/status")
    @guarded
    async def file_status(ls: SglintServer, params: Any) -> dict[str, Any]:
        """``{uri, position?}`` to why the file has its findings, its launches, and which one the position is in."""
        path = path_of(params.uri)
        buffer = ls.buffers.get(params.uri)
        if buffer is not None:
            linted = await ls.linter.newest(params.uri)
            unread = KINDS
        else:
            linted = await ls.linter.run(lambda: ls.files.linted(path))
            unread = why_not_read(path)
        return status(linted, unread, _offset(ls, params, linted), ls.encoding)

    @server.feature("sglint/launches")
    @guarded
    async def launches(ls: SglintServer, params: Any) -> list[dict[str, Any]]:
        """``{uris}`` to the launches of each file that has some, open or on disk."""
        found = []
        for uri in params.uris:
            own = await _launches_at(ls, uri)
            if own:
                found.append({"uri": uri, "launches": own})
        return found

    @server.feature("sglint/memoryPlan")
    @guarded
    async def memory_plan(ls: SglintServer, params: Any) -> dict[str, Any] | None:
        """``{uri, position?, launch?}`` to the memory plan of a launch; null where there is none."""
        linted = await ls.linter.current(params.uri, fixes=True)
        number = getattr(params, "launch", None)
        if linted is not None and number is None:
            number = overview.launch_at(linted.report, _offset(ls, params, linted) or 0)
        return _memory_page(ls, linted, number)

    @server.feature("sglint/rule")
    @guarded
    async def rule(ls: SglintServer, params: Any) -> str | None:
        """``{code}`` to the rule's page as Markdown; null when there is no such rule."""
        return overview.rule_page(params.code)

    @server.feature("sglint/whatChanges")
    @guarded
    async def what_changes(ls: SglintServer, params: Any) -> str | None:
        """``{uri, launch, release}`` to what that release changes for the launch, as Markdown."""
        return await changes_page(ls, params.uri, params.launch, params.release)

    @server.feature("sglint/known")
    @guarded
    async def known(ls: SglintServer, params: Any) -> dict[str, Any]:
        """What can be chosen: releases (newest first), GPUs, rules; and the server's own version."""
        return {
            "version": __version__,
            "releases": list(reversed(catalogue.releases())),
            "gpus": list(hardware.names()),
            "rules": overview.rule_names(),
        }


def _bind_commands(server: SglintServer) -> None:
    """Each returns its page, and shows it as a message, which is all that a plain client can show."""

    @server.command(MEMORY_PLAN)
    async def memory_plan(ls: SglintServer, uri: str, launch: int = 0) -> str | None:
        page = _memory_page(ls, await ls.linter.current(uri, fixes=True), launch)
        return _shown(ls, page["markdown"] if page else None)

    @server.command(EXPLAIN_RULE)
    async def explain_rule(ls: SglintServer, code: str) -> str | None:
        return _shown(ls, overview.rule_page(code))

    @server.command(SHOW_LAUNCHES)
    async def show_launches(ls: SglintServer) -> str | None:
        """Launches of the workspace's files and of open texts; what was found so far when it is cancelled."""
        lines: list[str] = []
        async with Progress(ls, "SGLint: looking for launches", None, ask=True) as progress:
            async for found in scan(ls, progress):
                lines += found.lines
        return _shown(ls, "\n".join(lines) or "No file here starts an SGLang server.")

    @server.command(RESTART)
    async def restart(ls: SglintServer) -> None:
        """Lint everything anew, as a fresh server would."""
        ls.settings_changed()


async def _launches_at(ls: SglintServer, uri: str) -> list[dict[str, Any]]:
    linted = await ls.linter.current(uri)
    if linted is not None:
        return overview.launches(linted.report, ls.encoding)
    closed = await ls.linter.run(lambda: ls.files.read(path_of(uri)))
    return [] if closed is None else list(closed.launches)


async def changes_page(ls: SglintServer, uri: str, launch: int, release: str) -> str | None:
    """What ``release`` changes for a launch, as Markdown; None when there is no such launch."""
    linted = await ls.linter.current(uri)
    if linted is None:
        return None
    settings, sources = ls.inputs(linted.report.document)
    found = await ls.linter.run(lambda: upgrades.compared(linted.report, launch, release, settings, sources))
    return None if found is None else upgrade_markdown(found)


def _shown(ls: SglintServer, page: str | None) -> str | None:
    if page is not None:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, page))
    return page


def _memory_page(ls: SglintServer, linted: Linted | None, number: int | None) -> dict[str, Any] | None:
    if linted is None or number is None or not 0 <= number < len(linted.report.judged):
        return None
    return overview.memory_page(linted.report, number, ls.encoding)


def _offset(ls: SglintServer, params: Any, linted: Linted | None) -> int | None:
    position = getattr(params, "position", None)
    if position is None or linted is None:
        return None
    return overview.offset_of(linted.report.document, position, ls.encoding)
