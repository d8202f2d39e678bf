"""What the client set: at the start, by notification, and by answering ``workspace/configuration``.

Names are those of the configuration file; editors that write ``targetReleases`` for ``target-releases`` are
understood. What is null or empty is not set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..settings import key_names
from . import inlays

SECTION = "sglint"
_HUMP = re.compile(r"(?<=[a-z])[A-Z]")


class Options:
    """Options of the session and, where the client has some, of each workspace folder (by its path)."""

    def __init__(self) -> None:
        self._initial: dict[str, Any] = {}
        self._notified: dict[str, Any] | None = None
        self._pulled: dict[str | None, dict[str, Any]] = {}

    def begin(self, options: object) -> None:
        """``initializationOptions``."""
        self._initial = spelled(options)

    def notify(self, settings: object) -> bool:
        """``didChangeConfiguration`` with settings in it; whether there was a section of ours."""
        section = settings.get(SECTION) if isinstance(settings, Mapping) else None
        if not isinstance(section, Mapping):
            return False
        self._notified = spelled(section)
        return True

    def pull(self, answers: Mapping[str | None, object]) -> bool:
        """Answers of ``workspace/configuration`` by folder, None for all; whether they differ from before."""
        pulled = {folder: own for folder, answer in answers.items() if (own := known_only(spelled(answer)))}
        changed = pulled != self._pulled
        self._pulled = pulled
        return changed

    def of(self, folder: str | None) -> dict[str, Any]:
        """What holds in a workspace folder: the nearest says last."""
        base = self._initial if self._notified is None else self._notified
        return {**base, **self._pulled.get(None, {}), **self._pulled.get(folder, {})}


def spelled(options: object) -> dict[str, Any]:
    """Options under the names of the configuration file, without those that are not set."""
    if not isinstance(options, Mapping):
        return {}
    return {_kebab(str(name)): value for name, value in options.items() if value not in (None, "", [], {})}


def known_only(options: Mapping[str, Any]) -> dict[str, Any]:
    """Without the settings an editor's extension has for itself under the same section."""
    known = {*key_names(), inlays.OPTION}
    return {name: value for name, value in options.items() if name in known}


def _kebab(name: str) -> str:
    return _HUMP.sub(lambda hump: f"-{hump[0].lower()}", name)
