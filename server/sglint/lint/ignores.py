"""``# sglint: ignore[...]`` comments: what they hide, and which of them hide nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ..launch.model import Ignore
from ..rules.findings import Finding

UNUSED = "SGL011"


class Ignores:
    """The ignores of a document: of the file, and of each launch."""

    def __init__(self, whole: Iterable[Ignore], by_launch: Iterable[tuple[Ignore, ...]]) -> None:
        self._whole = tuple(whole)
        self._by_launch = tuple(by_launch)
        self._used: set[Ignore] = set()

    def hides(self, finding: Finding) -> bool:
        near = () if finding.launch is None else self._by_launch[finding.launch]
        hiding = [ignore for ignore in (*near, *self._whole) if _covers(ignore, finding.code)]
        self._used.update(hiding)
        return bool(hiding)

    def unused(self, path: str) -> Iterable[Finding]:
        """A hint for every ignore that hid nothing."""
        for ignore in dict.fromkeys((*self._whole, *(ignore for own in self._by_launch for ignore in own))):
            if ignore not in self._used and ignore.place.path in (None, path):
                what = ", ".join(ignore.codes) or "anything"
                yield Finding(
                    UNUSED,
                    "unused-ignore",
                    "hint",
                    None,
                    f"This comment ignores {what}, and there is no such finding here; it can go.",
                    ignore.place.span,
                    ignore.place.path or path,
                )


def _covers(ignore: Ignore, code: str) -> bool:
    return not ignore.codes or any(code.startswith(prefix) for prefix in ignore.codes)
