"""Pages of rules as files, for clients that open what a code or a link leads to. They are made in the user's cache."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from pathlib import Path

from ..rules.bundle import cache_dir
from . import overview
from .convert import to_uri

log = logging.getLogger(__name__)


class Pages:
    """An address is told at once, since the page is small and made before anybody can follow it."""

    def __init__(self) -> None:
        self._made: set[str] = set()
        self._folder = _writable(cache_dir())

    def address(self, code: str) -> str | None:
        """URI of the rule's page; None where no page can be made."""
        return None if self._folder is None else to_uri(str(self._folder / f"{code}.md"))

    def make_soon(self, codes: Iterable[str]) -> None:
        """Write the pages on a thread: in a checkout the first one has all rule files read for their examples."""
        new = set(codes) - self._made
        if new and self._folder is not None:
            self._made |= new
            asyncio.get_running_loop().run_in_executor(None, self._make, self._folder, sorted(new))

    async def made(self, code: str) -> str | None:
        """The address of a page that is there."""
        if self._folder is None:
            return None
        self._made.add(code)
        await asyncio.get_running_loop().run_in_executor(None, self._make, self._folder, [code])
        return self.address(code)

    def _make(self, folder: Path, codes: list[str]) -> None:
        for code in codes:
            try:
                _write(folder / f"{code}.md", overview.rule_page(code))
            except OSError as error:
                log.warning("no page for %s: %s", code, error)


def _writable(cache: Path | None) -> Path | None:
    if cache is None:
        return None
    folder = cache / "pages"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _write(file: Path, page: str | None) -> None:
    """Raises OSError."""
    if page is None or (file.is_file() and file.read_bytes() == page.encode()):
        return
    # Another server may be writing it, and an editor reading.
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_bytes(page.encode())
    draft.replace(file)
