"""Questions a release asks about the GPU; all of them leave the fact unknown on anything but NVIDIA.

Compute capabilities: ``is_sm90_supported``, ``is_sm100_supported``, ``is_blackwell_supported`` of
``srt/utils/common.py`` (the CUDA version is taken to be one the release's images ship).
"""

from __future__ import annotations

from ..facts import Facts


def is_sm90(facts: Facts) -> bool:
    return int(facts["gpu.sm"]) // 10 == 9


def is_sm100(facts: Facts) -> bool:
    """SM100 and SM103 (B200, GB200, B300)."""
    return int(facts["gpu.sm"]) // 10 == 10


def is_sm120(facts: Facts) -> bool:
    return int(facts["gpu.sm"]) // 10 == 12


def is_blackwell(facts: Facts) -> bool:
    return int(facts["gpu.sm"]) // 10 in (10, 12)
