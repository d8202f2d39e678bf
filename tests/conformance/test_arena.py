"""The model of the unified arena against the released allocators, step by step.

``arena_digests.json.xz`` holds what the releases answered (``arena_dump`` makes it): after every step of a load all
ids, availabilities, free lists, frontiers and both tables went into a digest, which is kept every 25 steps.
"""

import json
import lzma
import time
from pathlib import Path

import pytest

from sglint.memory import arena as arenas
from sglint.memory.replay import ArenaFault, Forward, HybridMambaReplay, HybridSwaReplay
from sglint.memory.result import Arena
from sglint.memory.three_part import ThreePartReplay

from . import arena_loads

RELEASED = json.loads(lzma.decompress((Path(__file__).parent / "arena_digests.json.xz").read_bytes()))
UNBOUND = -1


class Modelled:
    """The model, offered as ``arena_loads.run`` wants it."""

    fault = ArenaFault

    def __init__(self, setting, release):
        self.has_state = setting["kind"] != "swa"
        self.has_window = setting["kind"] != "mamba"
        self.forward = None
        full = arenas.Entry("full", setting["full_layers"] * 32, setting["page"])
        if self.has_state:
            low = arenas.Entry("mamba", setting["low_layers"] * setting["state"], 1)
        else:
            low = arenas.Entry("swa", setting["low_layers"] * 32, setting["page"])
        by_pages = release not in ("0.5.15.post1", "0.5.16")
        middle = (
            (arenas.Entry("swa", setting["window_layers"] * 32, setting["page"]),) if setting["window_layers"] else ()
        )
        arena = arenas.build(setting["total"], (full, *middle, low), by_pages=by_pages)
        assert isinstance(arena, Arena)
        if middle:
            full_cap, swa_cap = setting["caps"]
            self.replay = ThreePartReplay(release, arena, full_cap=full_cap, swa_cap=swa_cap, lazy=setting["lazy"])
            self.reserve_slots = self.replay.reserve_slots
            self.release_slots = self.replay.release_slots
            self.release_window = self.replay.release_window
        elif self.has_state:
            self.replay = HybridMambaReplay(release, arena, lazy=setting["lazy"])
            self.reserve_slots = self.replay.reserve_slots
            self.release_slots = self.replay.release_slots
        else:
            full_cap, swa_cap = setting["caps"] or (None, None)
            self.replay = HybridSwaReplay(release, arena, full_cap=full_cap, swa_cap=swa_cap, lazy=setting["lazy"])
            self.release_window = self.replay.release_window
        self.low = self.replay.state if self.has_state else self.replay.swa
        self.replay.full.moves_per_idle = self.low.moves_per_idle = setting["moves"]
        self.reserve = self.replay.reserve
        self.release = self.replay.release
        self.idle = self.replay.idle
        self.clear = self.replay.clear

    def launch(self, ids):
        self.forward = Forward(ids)
        self.replay.begin_forward(self.forward)

    def finish(self):
        if self.forward is not None:
            self.forward.done = True

    def note(self):
        replay = self.replay
        if self.has_state and not self.has_window:
            seen = [replay.available(), replay.available(), replay.slots_available()]
        else:
            seen = [replay.available(), replay.full_available(), replay.swa_available()]
        if self.has_state and self.has_window:
            seen[1:] = [replay.full_available(), replay.slots_available(), *self._note_of_window(replay.swa)]
        for band in (replay.full, self.low):
            seen += [
                band.available(),
                band.available(after_compaction=True),
                band.live_tokens,
                band.frontier,
                list(band.holes),
                [band.physical.get(each, UNBOUND) for each in range(1, band.rows)],
                [band.virtual.get(each, UNBOUND) for each in range(1, band.pages)],
            ]
        return seen

    def _note_of_window(self, middle):
        return [
            self.replay.swa_available(),
            middle.available(),
            middle.available(after_compaction=True),
            middle.live_tokens,
            middle.low_page,
            middle.high_page,
            list(middle.holes),
            [middle.physical.get(each, UNBOUND) for each in range(1, middle.rows)],
            [middle.virtual.get(each, UNBOUND) for each in range(1, middle.pages)],
        ]


WANTED = {(release, kind): count for release, count in arena_loads.LOADS.items() for kind in arena_loads.KINDS}
WANTED |= {(release, arena_loads.THREE_PART): count for release, count in arena_loads.THREE_PART_LOADS.items()}


@pytest.mark.parametrize(("release", "kind"), WANTED)
def test_every_step_of_a_load_leaves_the_arena_as_the_release_leaves_it(release, kind):
    different = []
    loads = [name for name in RELEASED if name.startswith(f"{release} {kind} ")]
    started, steps = time.process_time(), 0
    for name in loads:
        setting = arena_loads.settings(kind, int(name.split()[-1]), release)
        answer = arena_loads.run(Modelled(setting, release), setting)
        steps += answer["steps"]
        if answer != RELEASED[name]:
            different.append((name, answer, RELEASED[name]))
    print(f"{release} {kind}: {len(loads)} loads, {steps} steps equal, {time.process_time() - started:.1f} s")
    assert not different
    assert len(loads) == WANTED[release, kind]


def test_the_kept_loads_reach_what_matters():
    answers = RELEASED.values()
    assert len(RELEASED) == sum(WANTED.values()) >= 700
    assert sum(answer["refused"] for answer in answers) > 1000
    assert any(answer["fault"] for answer in answers)
    assert sum(not answer["fault"] for answer in answers) > 0.8 * len(RELEASED)
