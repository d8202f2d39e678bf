"""What SGLint answers beside the protocol: requests ``sglint/*`` for clients of its own, commands for all others."""

from __future__ import annotations

import functools
from typing import Any

from lsprotocol import types

from .. import __version__, catalogue
from ..assist.wording import upgrade_markdown
from ..lint import lint
from ..models import hardware
from ..text import Document, Sources, language_of
from . import overview, upgrades
from .buffers import path_of
from .linting import Linted
from .state import SglintServer, guarded

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
    async def status(ls: SglintServer, params: Any) -> dict[str, Any]:
        """``{uri, position?}`` to why the file has its findings, its launches, and which one the position is in."""
        linted = await ls.linter.current(params.uri)
        report = linted.report if linted else None
        return overview.status(report, _offset(ls, params, linted), ls.encoding)

    @server.feature("sglint/launches")
    @guarded
    async def launches(ls: SglintServer, params: Any) -> list[dict[str, Any]]:
        """``{uris}`` to the launches of each file that has some, open or on disk."""
        found = []
        for uri in params.uris:
            linted = await ls.linter.current(uri)
            report = linted.report if linted else await ls.linter.run(functools.partial(_lint_file, ls, uri))
            if report is not None and report.judged:
                found.append({"uri": uri, "launches": overview.launches(report, ls.encoding)})
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
        linted = [await ls.linter.current(buffer.uri) for buffer in ls.buffers]
        return _shown(ls, overview.launches_markdown([found.report for found in linted if found]))

    @server.command(RESTART)
    async def restart(ls: SglintServer) -> None:
        """Lint every open text anew, as a fresh server would."""
        ls.linter.schedule_all()


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


def _lint_file(ls: SglintServer, uri: str) -> Any:
    """Report of a file on disk; None for one that is not read or does not mention SGLang."""
    path = path_of(uri)
    text = ls.buffers.read(path)
    if text is None or "sglang" not in text.lower():
        return None
    language = language_of(path, text[:80].partition("\n")[0])
    if language is None:
        return None
    document = Document(path, text, language)
    settings, _ = ls.inputs(document)
    return lint(document, settings, Sources(ls.buffers.read), fixes=False) if settings.includes(path) else None
