"""Context-parallel prefill: which flag asks for it, how it divides, and what models make of the group sizes."""

from __future__ import annotations

import pytest

from .spaces import resolved

PLAIN = {"model": "Qwen/Qwen3-8B"}
SPARSE = {"model": "deepseek-v3.2"}


def test_the_older_flags_ask_for_it_too_and_name_the_strategy() -> None:
    assert resolved("prefill_cp", "", **PLAIN) is False
    assert resolved("cp_strategy", "--enable-prefill-cp", **PLAIN) is None
    older = "--enable-prefill-context-parallel"
    assert resolved("prefill_cp", older, release="0.5.18", **PLAIN) is True
    assert resolved("cp_strategy", older, release="0.5.18", **PLAIN) == "zigzag"
    assert resolved("cp_strategy", f"{older} --cp-strategy interleave", release="0.5.18", **PLAIN) == "interleave"
    sparse = "--enable-dsa-prefill-context-parallel"
    assert resolved("cp_strategy", sparse, release="0.5.18", **SPARSE) == "interleave"
    assert (
        resolved("cp_strategy", f"{sparse} --dsa-prefill-cp-mode in-seq-split", release="0.5.18", **SPARSE) == "zigzag"
    )


@pytest.mark.parametrize(
    ("model", "command", "release", "expected"),
    [
        ("Qwen/Qwen3-8B", "--tp 8 --enable-prefill-cp --cp-strategy zigzag", "0.5.20", (1, 1, 8)),
        ("Qwen/Qwen3-8B", "--tp 8 --attn-cp-size 2 --enable-prefill-cp --cp-strategy zigzag", "0.5.20", (2, 1, 4)),
        ("deepseek-v3", "--tp 8 --enable-prefill-cp --cp-strategy zigzag", "0.5.20", (8, 1, 1)),
        ("deepseek-v3.2", "--tp 8 --enable-prefill-cp --cp-strategy interleave", "0.5.20", (8, 1, 1)),
        ("deepseek-v3.2", "--tp 8 --dp-size 2 --enable-prefill-cp --cp-strategy zigzag", "0.5.19", (4, 2, 1)),
        (
            "deepseek-v3.2",
            "--tp 8 --attn-cp-size 2 --enable-prefill-cp --cp-strategy interleave",
            "0.5.20",
            (8, 1, 1),
        ),
        (
            "deepseek-v3.2",
            "--tp 8 --attn-cp-size 2 --enable-prefill-cp --cp-strategy interleave",
            "0.5.22",
            (2, 1, 4),
        ),
        ("deepseek-v4-flash", "--tp 8 --enable-prefill-cp --cp-strategy interleave", "0.5.22", (8, 1, 1)),
        ("deepseek-v3.2", "--tp 8 --attn-cp-size 2", "0.5.20", (2, 1, 4)),
    ],
)
def test_models_of_deepseek_make_one_group_of_each(
    model: str, command: str, release: str, expected: tuple[int, int, int]
) -> None:
    names = ("attn_cp_size", "attn_dp_size", "attn_tp_size")
    assert tuple(resolved(name, command, model=model, release=release) for name in names) == expected
