"""Play the random loads of ``arena_loads`` on the allocators of released versions, on the CPU, and keep digests.

    python tests/conformance/arena_dump.py [--release R ...] [--kind K] > digests.json
    xz -9 < digests.json > tests/conformance/arena_digests.json.xz

Needs a prepared oracle (``ORACLE_HOME``, see shared/oracle). The buffer, its layout and the allocators are the
release's own; only the tensors that would hold keys and values are absent, since nothing is computed with them.
"""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import arena_loads
from parser_dump import _oracle


class _Rows:
    """The tensors of a pool, of which the allocator only asks that pages be moved."""

    def move_kv_cache(self, target: Any, source: Any) -> None:
        assert target.shape == source.shape

    def move_physical_pages(self, target: Any, source: Any, page_size: int) -> None:
        assert target.shape == source.shape and page_size


class _Composite(_Rows):
    def __init__(self) -> None:
        self.full_kv_pool = _Rows()
        self.swa_kv_pool = _Rows()
        self.mamba_pool = _Rows()

    def attach_allocators(self, **_: Any) -> None:
        pass


class _Event:
    fired = False

    def query(self) -> bool:
        return self.fired


class _Released:
    """A release's allocator, offered as ``arena_loads.run`` wants it."""

    fault = (IndexError, AssertionError, RuntimeError)

    def __init__(self, setting: dict[str, Any]) -> None:
        import torch

        self.torch = torch
        self.has_state = setting["kind"] != "swa"
        self.has_window = setting["kind"] != "mamba"
        self.forward: _Event | None = None
        pool = _pool(setting)
        lazy = setting["lazy"]
        shared = {
            "unified_buffer": pool,
            "kvcache": _Composite(),
            "device": "cpu",
            "page_size": setting["page"],
            "lazy_compaction": lazy,
        }
        mamba, swa = _composites()
        if self.has_state and self.has_window:
            full_cap, swa_cap = setting["caps"]
            shared |= {"full_max_total_num_tokens": full_cap, "swa_max_total_num_tokens": swa_cap}
            self.whole = _three_part()(**shared, mamba_kvcache=_Composite())
            self.low = self.whole.mamba_allocator
        elif self.has_state:
            self.whole = mamba(**shared)
            self.low = self.whole.mamba_allocator
        else:
            caps = setting["caps"]
            if caps is not None:
                shared |= {"full_max_total_num_tokens": caps[0], "swa_max_total_num_tokens": caps[1]}
            self.whole = swa(**shared)
            self.low = self.whole.swa_attn_allocator
        self.full = self.whole.full_attn_allocator
        for side in (self.full, self.low):
            side._lazy_max_moves_per_call = setting["moves"]

    def _tensor(self, ids: list[int]) -> Any:
        return self.torch.tensor(ids, dtype=self.torch.int64)

    def reserve(self, tokens: int) -> list[int] | None:
        ids = self.whole.alloc(tokens)
        return None if ids is None else ids.tolist()

    def reserve_slots(self, slots: int) -> list[int] | None:
        ids = self.low.alloc(slots)
        return None if ids is None else ids.tolist()

    def release(self, ids: list[int]) -> None:
        self.whole.free(self._tensor(ids))

    def release_window(self, ids: list[int]) -> None:
        self.whole.free_swa(self._tensor(ids))

    def release_slots(self, ids: list[int]) -> None:
        self.low.free(self._tensor(ids))

    def idle(self) -> None:
        self.whole.flush_opportunistic()

    def launch(self, ids: list[int]) -> None:
        self.forward = _Event()
        self.whole.set_latest_forward_done_event(self.forward)
        self.whole.set_inflight_forward(self.forward, self._tensor(ids))

    def finish(self) -> None:
        if self.forward is not None:
            self.forward.fired = True

    def clear(self) -> None:
        self.whole.clear()

    def note(self) -> list[Any]:
        whole = self.whole
        seen = [whole.available_size(), whole.full_available_size()]
        seen.append(self.low.schedulable_available_size() if self.has_state else whole.swa_available_size())
        if self.has_state and self.has_window:
            seen += self._note_of_window(whole.swa_attn_allocator)
        for side in (self.full, self.low):
            seen += [
                side.available_size(),
                side.schedulable_available_size(),
                side.allocated_count(),
                side.watermark_physical,
                side._free_phys_pages.tolist(),
                side.virtual_to_physical.tolist()[1:-1],
                side.physical_to_virtual.tolist()[1:-1],
            ]
        return seen

    def _note_of_window(self, middle: Any) -> list[Any]:
        return [
            self.whole.swa_available_size(),
            middle.available_size(),
            middle.schedulable_available_size(),
            middle.allocated_count(),
            middle.low_wm_page,
            middle.high_wm_page,
            middle._free_phys_pages.tolist(),
            middle.virtual_to_physical.tolist()[1:-1],
            middle.physical_to_virtual.tolist()[1:-1],
        ]


def _pool(setting: dict[str, Any]) -> Any:
    import torch
    from sglang.srt.mem_cache import unified_memory_pool as pools

    full = pools.MHASubPoolSpec(
        name="full",
        layer_num=setting["full_layers"],
        grow_direction="down",
        head_num=1,
        head_dim=8,
        store_dtype=torch.bfloat16,
    )
    if setting["kind"] == "swa":
        low: Any = pools.MHASubPoolSpec(
            name="swa",
            layer_num=setting["low_layers"],
            grow_direction="up",
            head_num=1,
            head_dim=8,
            store_dtype=torch.bfloat16,
        )
    else:
        half = setting["state"] // 2
        low = pools.MambaSubPoolSpec(
            name="mamba",
            layer_num=setting["low_layers"],
            grow_direction="up",
            conv_state_shapes=((half // 2,),),
            conv_dtype=torch.bfloat16,
            temporal_state_shape=(setting["state"] // 2 - half // 2,),
            temporal_dtype=torch.bfloat16,
        )
    specs = [full, low]
    if setting["window_layers"]:
        middle = {"layer_num": setting["window_layers"], "grow_direction": "float", "head_num": 1, "head_dim": 8}
        specs.insert(1, pools.MHASubPoolSpec(name="swa", store_dtype=torch.bfloat16, **middle))
    return pools.UnifiedKVPool(
        total_bytes=setting["total"],
        sub_pool_specs=specs,
        device="cpu",
        enable_memory_saver=False,
        page_size=setting["page"],
    )


def _composites() -> tuple[Any, Any]:
    try:
        from sglang.srt.mem_cache.allocator.unified_hybrid_swa import UnifiedSWATokenToKVPoolAllocator
        from sglang.srt.mem_cache.allocator.unified_mamba import UnifiedMambaTokenToKVPoolAllocator
    except ImportError:
        from sglang.srt.mem_cache.multi_ended_allocator import (
            UnifiedMambaTokenToKVPoolAllocator,
            UnifiedSWATokenToKVPoolAllocator,
        )
    return UnifiedMambaTokenToKVPoolAllocator, UnifiedSWATokenToKVPoolAllocator


def _three_part() -> Any:
    try:
        from sglang.srt.mem_cache.allocator.unified_hybrid_swa import UnifiedMambaSWATokenToKVPoolAllocator
    except ImportError:
        from sglang.srt.mem_cache.multi_ended_allocator import UnifiedMambaSWATokenToKVPoolAllocator
    return UnifiedMambaSWATokenToKVPoolAllocator


def _without_a_process_group() -> None:
    """One process, no parallelism: what the allocators of 0.5.20 and later ask a running server for."""
    for module in [each for name, each in sys.modules.items() if ".mem_cache." in name]:
        if inspect.isfunction(getattr(module, "get_parallel", None)):
            vars(module)["get_parallel"] = lambda: SimpleNamespace(attn_dcp_size=1, attn_dcp_rank=0)


def _inside(release: str, only: str | None) -> None:
    oracle = _oracle()
    oracle.install_stubs(release)
    oracle.install_fake_gpu("h200", 1)
    import torch

    torch.set_num_threads(1)
    torch.cuda.current_stream = lambda *_: SimpleNamespace(wait_event=lambda _: None, wait_stream=lambda _: None)
    _composites()
    _without_a_process_group()
    answers = {}
    counts = dict.fromkeys(arena_loads.KINDS, arena_loads.LOADS[release])
    counts[arena_loads.THREE_PART] = arena_loads.THREE_PART_LOADS.get(release, 0)
    for kind in [only] if only else counts:
        for number in range(counts[kind]):
            setting = arena_loads.settings(kind, number, release)
            answers[f"{release} {kind} {number}"] = arena_loads.run(_Released(setting), setting)
    json.dump(answers, sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", action="append")
    parser.add_argument("--kind", choices=(*arena_loads.KINDS, arena_loads.THREE_PART))
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        _inside(asked.inside, asked.kind)
        return
    answers: dict[str, Any] = {}
    for release in asked.release or arena_loads.LOADS:
        python, env = _oracle().release_env(release, {})
        command = [python, __file__, "--inside", release, *(["--kind", asked.kind] if asked.kind else [])]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        if done.returncode:
            raise SystemExit(done.stderr[-3000:])
        answers |= json.loads(done.stdout.splitlines()[-1])
    json.dump(answers, sys.stdout, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    main()
