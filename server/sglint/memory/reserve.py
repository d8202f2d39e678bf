"""Defaults that depend on the GPU's memory: prefill chunk, decode batch, memory fraction.

Source: ``server_args.py:ServerArgs._handle_gpu_memory_settings`` through 0.5.18,
``arg_groups/memory_hook.py:handle_gpu_memory_settings`` after.
"""

from __future__ import annotations

from ..facts import Facts, Undecided, Unknown

MIB_PER_GIB = 1024


def total_mib(facts: Facts) -> int:
    """Memory of one GPU as the driver reports it, MiB. Raises :class:`Undecided` when it is not known."""
    value = facts["gpu.memory_mib"]
    if value is None:
        raise Undecided(Unknown((f"how much memory the driver of {facts['gpu.title']} reports",)))
    return int(value)


def default_chunk(facts: Facts) -> int:
    """``--chunked-prefill-size`` when unset, tokens."""
    return _tier(total_mib(facts), int(facts["args.tp_size"] or 1), facts["release"])[0]


def _tier(mib: int, tp: int, release: str) -> tuple[int, int]:
    """(prefill chunk, largest captured decode batch) by GPU memory."""
    from ..catalogue import release_key

    late = release_key(release) >= release_key("0.5.20")
    wide = tp >= 4
    if mib < 20 * MIB_PER_GIB:
        return 2048, 8
    if mib < 35 * MIB_PER_GIB:
        if late:
            return 4096, 160 if wide else 48
        return 2048, 80 if wide else 24
    if mib < 60 * MIB_PER_GIB:
        return 4096, 160 if wide else 32
    if mib < 160 * MIB_PER_GIB:
        return 8192, 512 if wide else 256
    return 16384, 512
