"""Releases and ranges of releases, in SGLang's own numbering (``0.5.15.post1``, ``0.5.3rc2``)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..patterns import lazy
from ..records import dataclass

Key = tuple[int, ...]

_RELEASE = lazy(r"v?(\d+)\.(\d+)\.(\d+)(?:\.?(post|rc|dev)(\d+))?")
_BOUND = lazy(r"\s*(>=|<=|==|!=|<|>)\s*(\S+)\s*")
_PHASE = {"dev": -2, "rc": -1, None: 0, "post": 1}


@lru_cache(maxsize=1024)
def release_key(release: str) -> Key:
    """A key that sorts releases: ``0.5.3rc2 < 0.5.3 < 0.5.3.post1 < 0.5.4``. Raises ValueError."""
    match = _RELEASE.fullmatch(release)
    if match is None:
        raise ValueError(f"{release!r} is not an SGLang release")
    major, minor, patch, phase, number = match.groups()
    return int(major), int(minor), int(patch), _PHASE[phase], int(number or 0)


@dataclass(frozen=True)
class ReleaseRange:
    """A conjunction of bounds, as rule files write it: ``>=0.5.18,<0.5.20``. Empty text holds for all."""

    text: str
    bounds: tuple[tuple[str, Key], ...]

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(text: str) -> ReleaseRange:
        """Raises ValueError on a bound that is not understood."""
        bounds = []
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            match = _BOUND.fullmatch(part)
            if match is None:
                raise ValueError(f"{part!r} is not a bound such as >=0.5.18")
            bounds.append((match[1], release_key(match[2])))
        return ReleaseRange(text, tuple(bounds))

    def holds(self, release: str) -> bool:
        key = release_key(release)
        return all(_compare(operator, key, bound) for operator, bound in self.bounds)

    def joined(self, others: Iterable[ReleaseRange]) -> ReleaseRange:
        """This range with all others that overlap it or continue it, one after the other.

        Ranges with bounds other than ``>=`` and ``<`` stand alone.
        """
        span = _span(self)
        if span is None:
            return self
        rest = [other for other in map(_span, others) if other is not None]
        while touching := [other for other in rest if other[0] <= span[1] and span[0] <= other[1]]:
            rest = [other for other in rest if other not in touching]
            lows, highs = zip(span, *touching, strict=True)
            span = min(lows), max(highs)
        low, high = span
        bounds = [f">={_name(low)}" if low != _OLDEST else "", f"<{_name(high)}" if high != _NEWEST else ""]
        return ReleaseRange.parse(",".join(filter(None, bounds)))


_OLDEST: Key = ()
_NEWEST: Key = (10**9,)
"""Keys before and behind those of all releases."""


def _span(bounds: ReleaseRange) -> tuple[Key, Key] | None:
    """The first release and the first one behind the last; None where other bounds are in use."""
    if any(operator not in (">=", "<") for operator, _ in bounds.bounds):
        return None
    lows = [key for operator, key in bounds.bounds if operator == ">="]
    highs = [key for operator, key in bounds.bounds if operator == "<"]
    return max(lows, default=_OLDEST), min(highs, default=_NEWEST)


def _name(key: Key) -> str:
    """The release of a key."""
    major, minor, patch, phase, number = key
    name = next(name for name, value in _PHASE.items() if value == phase)
    behind = "" if name is None else f"rc{number}" if name == "rc" else f".{name}{number}"
    return f"{major}.{minor}.{patch}{behind}"


def _compare(operator: str, key: Key, bound: Key) -> bool:
    if operator == ">=":
        return key >= bound
    if operator == "<=":
        return key <= bound
    if operator == "<":
        return key < bound
    if operator == ">":
        return key > bound
    return (key == bound) == (operator == "==")
