"""The host memory of a hierarchical cache, against the arithmetic of ``pool_host/base.py``."""

from __future__ import annotations

import pytest

from sglint.facts import Undecided
from sglint.hosts.hardware_hints import quantity_bytes
from sglint.memory.host_cache import HostCache, budget_per_rank, host_cache
from sglint.memory.plan import plan

from .launches import facts_for

GB = 10**9


def hosted(*argv: str, release: str = "0.5.23", rest: int = 40 << 30) -> HostCache | None:
    facts = facts_for(release, " ".join(("--enable-hierarchical-cache", *argv)), model="Qwen/Qwen3-32B")
    return plan(facts, rest).host_cache


def test_a_size_is_in_decimal_gigabytes_of_each_process_rounded_up_past_a_page() -> None:
    found = hosted("--tp-size", "4", "--hicache-size", "30", "--page-size", "64")
    assert found is not None
    per_token = 64 * 2 * (128 + 128) * 2
    assert found.bytes_per_token == per_token
    assert found.tokens == (30 * GB // per_token // 64 + 1) * 64
    assert (found.ranks, found.node_bytes) == (4, 4 * found.tokens * per_token)


def test_a_ratio_multiplies_what_the_gpu_holds() -> None:
    facts = facts_for("0.5.18", "--enable-hierarchical-cache --hicache-ratio 1.5", model="Qwen/Qwen3-32B")
    found = plan(facts, 40 << 30)
    assert found.host_cache is not None and found.max_total_num_tokens is not None
    assert found.host_cache.tokens == int(found.max_total_num_tokens * 1.5) + 1
    assert found.to_json()["host_cache"]["tokens"] == found.host_cache.tokens


def test_an_unset_ratio_is_two_until_it_shrinks_by_itself() -> None:
    assert hosted(release="0.5.21") is not None
    assert hosted(release="0.5.22") is None


def test_several_nodes_share_the_processes() -> None:
    argv = ("--tp-size", "16", "--nnodes", "2", "--node-rank", "0", "--dist-init-addr", "a:1", "--hicache-size", "10")
    found = hosted(*argv)
    assert found is not None and found.ranks == 8


def test_a_pool_that_is_divided_is_not_known() -> None:
    facts = facts_for("0.5.21", "--enable-hierarchical-cache")
    found = plan(facts, 40 << 30)
    assert found.host_cache is None
    assert "how this release divides the host memory of several pools" in found.needs
    assert found.inputs is not None
    with pytest.raises(Undecided):
        host_cache(facts, found.inputs, found.sizes)


def test_ten_gibibytes_stay_free_and_ranks_share_the_rest() -> None:
    assert budget_per_rank(74 << 30, 8) == 8 << 30
    assert budget_per_rank(5 << 30, 8) == 0


@pytest.mark.parametrize(
    ("text", "binary", "size"),
    [
        ("200Gi", False, 200 << 30),
        ("500G", False, 500 * GB),
        ("1.5Ti", False, 3 << 39),
        ("1073741824", False, 1 << 30),
        ("64g", True, 64 << 30),
        ("64gb", True, 64 << 30),
        ("$(MEMORY)", False, None),
    ],
)
def test_quantities(text: str, binary: bool, size: int | None) -> None:
    assert quantity_bytes(text, binary=binary) == size
