"""The unified arena at work: ids, pages, holes and when a draft pool is overrun."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.memory import arena as arenas
from sglint.memory.replay import Forward, HybridMambaReplay, HybridSwaReplay, issued_before
from sglint.memory.result import Arena

from .launches import EAGLE3, UNIFIED, plan_of


def swa_arena(full: int = 64, swa: int = 64, slots: int = 41, page: int = 1) -> Arena:
    """An arena of so many full entries; one entry or page is reserved."""
    built = arenas.build(full * slots * page, (arenas.Entry("full", full, page), arenas.Entry("swa", swa, page)))
    assert isinstance(built, Arena)
    return built


def state_arena(full: int = 32, state: int = 320, slots: int = 100) -> Arena:
    built = arenas.build(full * slots, (arenas.Entry("full", full, 1), arenas.Entry("mamba", state, 1)))
    assert isinstance(built, Arena)
    return built


def reserved(replay: HybridSwaReplay | HybridMambaReplay, tokens: int) -> list[int]:
    ids = replay.reserve(tokens)
    assert ids is not None
    return ids


def test_an_empty_arena_gives_what_the_sizes_say() -> None:
    arena = swa_arena(full=96, swa=64)
    replay = HybridSwaReplay("0.5.18", arena, full_cap=10_000, swa_cap=10_000)
    assert replay.available() == arenas.joint_available(arena)
    assert replay.full_available() == arenas.full_available(arena, arena.sub_pool("swa"))


def test_full_tokens_lie_at_the_top_and_window_tokens_at_the_bottom() -> None:
    replay = HybridSwaReplay("0.5.18", swa_arena())
    ids = reserved(replay, 3)
    assert ids == [1, 2, 3]
    assert [replay.full.physical[each] for each in ids] == [38, 39, 40]
    assert [replay.swa.physical[each] for each in ids] == [1, 2, 3]


def test_a_released_id_waits_for_all_others() -> None:
    replay = HybridSwaReplay("0.5.18", swa_arena())
    for first in range(1, 41, 10):
        ids = reserved(replay, 10)
        assert ids == list(range(first, first + 10))
        replay.release(ids)
    assert reserved(replay, 3) == [1, 2, 3]


def test_one_request_at_a_time_overruns_a_draft_pool_of_the_token_budget() -> None:
    arena = swa_arena()
    replay = HybridSwaReplay("0.5.18", arena, full_cap=22, swa_cap=18)
    rows = 22 + 1
    while not replay.overruns(rows):
        issued = replay.ids.issued
        replay.release(reserved(replay, 4))
    assert issued <= issued_before(arena, rows) < replay.ids.issued
    assert not replay.overruns(arena.virtual_ids + 1)


def test_pages_that_left_the_window_make_room_for_full_tokens() -> None:
    replay = HybridSwaReplay("0.5.23", swa_arena())
    ids = reserved(replay, replay.available())
    assert replay.reserve(1) is None
    replay.release_window(ids[:-4])
    assert replay.available() == 0
    assert replay.reserve(5) is not None
    assert replay.swa.holes == [] and replay.swa.span == 9


def test_moved_pages_keep_their_ids() -> None:
    replay = HybridSwaReplay("0.5.20", swa_arena())
    first, second = reserved(replay, 4), reserved(replay, 4)
    replay.release(first)
    replay.idle()
    assert replay.full.span == 8
    replay.idle()
    assert replay.full.span == 4 and replay.swa.span == 4
    assert sorted(replay.full.physical[each] for each in second) == [37, 38, 39, 40]
    assert sorted(replay.swa.physical[each] for each in second) == [1, 2, 3, 4]


def test_a_page_that_a_forward_writes_stays_where_it_is() -> None:
    replay = HybridSwaReplay("0.5.20", swa_arena())
    first, second = reserved(replay, 2), reserved(replay, 2)
    forward = Forward(second)
    replay.begin_forward(forward)
    replay.release(first)
    before = {each: replay.full.physical[each] for each in second}
    replay.idle()
    assert {each: replay.full.physical[each] for each in second} == before
    forward.done = True
    replay.idle()
    assert {each: replay.full.physical[each] for each in second} != before


def test_state_slots_and_tokens_take_each_others_room() -> None:
    replay = HybridMambaReplay("0.5.18", state_arena())
    tokens = replay.available()
    slots = replay.reserve_slots(2)
    assert slots == [1, 2]
    assert replay.available() == tokens - 20
    replay.release_slots(slots[:1])
    assert replay.available() == tokens - 10
    assert replay.reserve_slots(1) == [3]


@pytest.mark.parametrize("release", ["0.5.18", "0.5.20", "0.5.23"])
@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    entries=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    slots=st.integers(30, 120),
    page=st.sampled_from([1, 4]),
    load=st.lists(st.integers(1, 9), min_size=1, max_size=60),
)
def test_the_first_round_of_ids_is_in_order_whatever_the_load(
    release: str, entries: tuple[int, int], slots: int, page: int, load: list[int]
) -> None:
    full, swa = max(entries) * 32, min(entries) * 32
    arena = swa_arena(full, swa, slots, page)
    replay = HybridSwaReplay(release, arena, full_cap=slots * page, swa_cap=slots * page)
    running: list[list[int]] = []
    for pages in load:
        issued = replay.ids.issued * page
        ids = replay.reserve(pages * page)
        if ids is None:
            if running:
                replay.release(running.pop(0))
            continue
        running.append(ids)
        for place, token in enumerate(ids):
            if issued + place < len(range(arena.sub_pool("full").first_page, arena.sub_pool("full").pages)) * page:
                assert issued_before(arena, token) == (issued + place) // page * page


@pytest.mark.parametrize("release", ["0.5.18", "0.5.23"])
@settings(derandomize=True, deadline=None, max_examples=40)
@given(load=st.lists(st.tuples(st.booleans(), st.integers(1, 12)), max_size=80), lazy=st.booleans())
def test_what_is_available_can_be_reserved_and_no_bytes_are_shared(
    release: str, load: list[tuple[bool, int]], lazy: bool
) -> None:
    replay = HybridSwaReplay(release, swa_arena(96, 64, 60), full_cap=60, swa_cap=60, lazy=lazy)
    running: list[list[int]] = []
    for arrives, amount in load:
        if arrives:
            fits = amount <= replay.available()
            ids = replay.reserve(amount)
            assert ids is not None or not fits
            if ids is not None:
                running.append(ids)
        elif running:
            replay.release(running.pop(amount % len(running)))
        live = [each for ids in running for each in ids]
        assert len(set(live)) == len(live) == replay.full.live_pages == replay.swa.live_pages
        pages = [replay.full.physical[each] for each in live]
        assert len(set(pages)) == len(pages)
        assert replay.swa.high_byte <= replay.full.low_byte


def test_the_seed_check_tells_after_how_many_tokens_the_draft_pool_is_overrun() -> None:
    found = plan_of("0.5.18", f"{UNIFIED} {EAGLE3}", draft="draft-eagle3-llama", rest=51_754_355_916)
    text = " ".join(found.explanation)
    assert "the first past row 756,607 follows after 756,607 tokens since start" in text
    assert "(in request 6, if each takes the context of 131,072 tokens)" in text
    short = plan_of(
        "0.5.18", f"{UNIFIED} {EAGLE3} --context-length 4096", draft="draft-eagle3-llama", rest=51_754_355_916
    )
    assert "(in request 185, if each takes the context of 4,096 tokens)" in " ".join(short.explanation)
