"""Did you mean: names and values near to what was written, at a bounded cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..catalogue import FlagTable

MOST = 3
LONGEST = 80
"""Longer words are no misspelt flags, and comparing them would cost."""


@lru_cache(maxsize=1024)
def near(written: str, table: FlagTable) -> tuple[str, ...]:
    """Flags of the release that ``written`` may stand for, best first, at most three."""
    if not 2 < len(written) <= LONGEST:
        return ()
    dashed = "--" + written.lstrip("-").replace("_", "-").lower()
    if dashed in table.by_name:
        return (dashed,)
    names = [name for name in table.by_name if name.startswith("--")]
    close = _close(dashed[2:], [name[2:] for name in names])
    found = [f"--{name}" for name in close]
    found += [name for name in _same_parts(dashed, names) if name not in found]
    return tuple(found[:MOST])


def near_value(written: str, choices: Iterable[str]) -> tuple[str, ...]:
    """Choices that ``written`` may stand for, best first; letter case and ``-`` against ``_`` count little."""
    accepted = list(choices)
    plain = _plain(written)
    exact = [choice for choice in accepted if _plain(choice) == plain]
    if exact or len(written) > LONGEST:
        return tuple(exact[:MOST])
    by_plain = {_plain(choice): choice for choice in accepted}
    return tuple(by_plain[name] for name in _close(plain, list(by_plain))[:MOST])


def same_value(left: str, right: str) -> bool:
    """Whether two values differ only in letter case, dashes against underscores, or quotes around them."""
    return _plain(left) == _plain(right)


def distance(left: str, right: str, most: int) -> int:
    """Edit distance with swaps of neighbours (optimal string alignment); ``most + 1`` when it is greater."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, char in enumerate(left, 1):
        above, row = row, [i]
        for j, other in enumerate(right, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (char != other))
            if i > 1 and j > 1 and char == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before = above
    return min(row[-1], most + 1)


def _close(word: str, names: Sequence[str]) -> list[str]:
    most = max(1, min(4, len(word) // 5))
    letters = set(word)
    scored = []
    for name in names:
        # Two edits change at most two kinds of letters each; the set test spares most distances.
        if abs(len(name) - len(word)) > most or len(letters.symmetric_difference(name)) > 2 * most:
            continue
        edits = distance(word, name, most)
        if edits <= most:
            scored.append((edits, name))
    return [name for _, name in sorted(scored)]


def _same_parts(dashed: str, names: Sequence[str]) -> list[str]:
    """Flags made of the same parts and at most one more: a forgotten prefix, another order."""
    parts = set(dashed[2:].split("-"))
    if len(parts) < 2:
        return []
    holding = []
    for name in names:
        own = set(name[2:].split("-"))
        if parts <= own and len(own) - len(parts) <= 1:
            holding.append((len(own), name))
    return [name for _, name in sorted(holding)]


def _plain(text: str) -> str:
    return text.strip("\"' ").lower().replace("_", "-")
