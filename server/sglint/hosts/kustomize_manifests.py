"""Manifests as a kustomization works with them: maps in which every text knows the file it is written in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from ..records import dataclass
from .helm_lists import at_key
from .helm_texts import known
from .helm_values import Value
from .scopes import Scope


@dataclass(frozen=True)
class Manifest:
    """A resource as built so far. ``path`` is its file; ``is_far`` when another folder's kustomization lists that."""

    value: Value
    path: str
    is_far: bool = False

    def text(self, *keys: str) -> str:
        value = self.value
        for key in keys:
            value = at_key(value, key)
        return known(value) or ""

    def is_like(self, selector: Scope) -> bool:
        """Whether a selector of kind, name, namespace and labels means it; names are regular expressions."""
        places = (("kind", ("kind",)), ("name", ("metadata", "name")), ("namespace", ("metadata", "namespace")))
        for key, place in places:
            wanted = selector.text(key)
            if wanted is not None and not _is_like(wanted, self.text(*place)):
                return False
        labels = (selector.text("labelSelector") or "").split(",")
        return all(self._has_label(label) for label in labels if label.strip())

    def _has_label(self, selector: str) -> bool:
        key, _, value = selector.replace("==", "=").partition("=")
        return self.text("metadata", "labels", key.strip()) == value.strip()


def _is_like(pattern: str, text: str) -> bool:
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return pattern == text


def below(folder: PurePosixPath, names: Iterable[str | None]) -> tuple[str, ...]:
    """Local paths among ``names``, from ``folder``."""
    local = (name for name in names if name is not None and "\n" not in name and "://" not in name)
    return tuple(posixpath.normpath(str(folder / name)) for name in local)
