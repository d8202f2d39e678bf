"""Random loads of a unified arena, and what is noted of it after every step.

Only the standard library: the same code drives a release's allocator (``arena_dump``, in the release's interpreter)
and the model (``test_arena``). Both offer an *arena*: ``reserve``, ``release``, ``note`` and so on, see ``run``.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Any

LOADS = {"0.5.18": 60, "0.5.20": 60, "0.5.23": 60}
"""Loads of each kind a release is asked; the others, less often, for what changed between these."""
LOADS |= dict.fromkeys(("0.5.15.post1", "0.5.16", "0.5.17", "0.5.19", "0.5.21", "0.5.22"), 20)
KINDS = ("swa", "mamba")
THREE_PART = "three"
"""Both together, with the window between the other two: releases from 0.5.19 on."""
THREE_PART_LOADS = dict.fromkeys(("0.5.19", "0.5.20", "0.5.21", "0.5.22", "0.5.23"), 50)
STEPS = 300
MARK_EVERY = 25
"""Steps between two kept digests: a difference is told to within so many."""


def settings(kind: str, number: int, release: str) -> dict[str, Any]:
    """The arena of one load: entry sizes as counts of rows, since the releases compute bytes from geometry."""
    draw = random.Random(f"{kind}:{number}")
    full_layers = draw.randint(1, 9)
    narrow = release < "0.5.20" and number % 8 and kind != THREE_PART
    low_layers = draw.randint(1, full_layers) if narrow else draw.randint(1, 9)
    page = (1, 1, 1, 4)[number % 4]
    state = 2 * draw.randint(8, 120)
    slots = draw.randint(40, 260)
    full_bytes = full_layers * 32
    low_bytes = low_layers * 32 if kind == "swa" else low_layers * state
    total = (slots * max(full_bytes, 32) + draw.randint(3, 30) * low_bytes) * page + draw.randint(0, 4095) * 4
    window_layers = 0
    if kind == THREE_PART:
        window_layers = draw.randint(1, 9)
        total += slots * window_layers * 32 * page * draw.randint(1, 3) // 2
    tokens = total // full_bytes
    return {
        "window_layers": window_layers,
        "kind": kind,
        "number": number,
        "page": page,
        "full_layers": full_layers,
        "low_layers": low_layers,
        "state": state,
        "total": total,
        "lazy": number % 6 != 5,
        "moves": (4096, 3)[number % 5 == 3],
        "caps": None
        if kind != THREE_PART and number % 3 == 2 and release >= "0.5.21"
        else (tokens * 5 // 8, tokens // 2),
    }


def steps(setting: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Abstract steps: what happens, to which request (counted around), and how much of it."""
    draw = random.Random(f"{setting['kind']}:{setting['number']}:steps")
    heavy = draw.choice((1, 3, 8))
    names = ["arrive"] * 6 + ["grow"] * 8 + ["leave"] * (3 if heavy < 8 else 2) + ["reject"] * 2
    names += ["window"] * 4 + ["idle"] * 2 + ["launch"] * 3 + ["done"] * 3
    for _ in range(STEPS):
        if draw.random() < 0.002:
            yield "clear", 0, 0
        else:
            yield draw.choice(names), draw.randrange(1 << 16), draw.randint(1, 6 * heavy)


def run(arena: Any, setting: dict[str, Any]) -> dict[str, Any]:
    """Play a load; digests of all ids, availabilities, free lists and tables up to each mark.

    ``arena`` reserves and releases tokens (and slots of state, ``has_state``; and window pages, ``has_window``), raises
    ``arena.fault`` where the release fails, and tells its whole condition with ``note``.
    """
    page = setting["page"]
    requests: list[dict[str, list[int]]] = []
    digest = hashlib.sha256()
    marks: list[str] = []
    count = refused = highest = 0
    fault = False
    digest.update(repr(arena.note()).encode())
    for what, which, amount in steps(setting):
        try:
            told = _step(arena, requests, what, which, amount, page)
        except arena.fault:
            fault = True
            break
        count += 1
        refused += told == "refused"
        if isinstance(told, list) and told:
            highest = max(highest, *told)
        digest.update(repr((what, told, arena.note())).encode())
        if count % MARK_EVERY == 0:
            marks.append(digest.hexdigest()[:8])
    marks.append(digest.hexdigest()[:8])
    return {"steps": count, "fault": fault, "refused": refused, "highest": highest, "marks": marks}


def _step(arena: Any, requests: list[dict[str, list[int]]], what: str, which: int, amount: int, page: int) -> Any:
    if what == "clear":
        requests.clear()
        return arena.clear()
    if what == "idle":
        return arena.idle()
    if what == "done":
        return arena.finish()
    if what == "arrive":
        slots = arena.reserve_slots(1) if arena.has_state else []
        if slots is None:
            return "refused"
        ids = arena.reserve(amount * page)
        if ids is None:
            if slots:
                arena.release_slots(slots)
            return "refused"
        requests.append({"ids": ids, "slots": slots, "window": []})
        return [*ids, *slots]
    if what == "launch":
        return arena.launch([request["ids"][-1] for request in requests[-amount:] if request["ids"]])
    if not requests:
        return None
    request = requests[which % len(requests)]
    ids = request["ids"]
    if what == "grow":
        more = arena.reserve(min(amount, 3) * page)
        if more is None:
            return "refused"
        ids.extend(more)
        return more
    if what == "reject":
        kept = max(0, len(ids) - min(amount, 4) * page)
        arena.release(ids[kept:])
        del ids[kept:]
        return kept
    if what == "window":
        passed = len(ids) // page * page * 2 // 3 // page * page
        if arena.has_window:
            arena.release_window(ids[:passed])
        return passed
    requests.remove(request)
    arena.release(ids if which % 3 else ids[::-1])
    if request["slots"]:
        arena.release_slots(request["slots"])
    return len(ids)
