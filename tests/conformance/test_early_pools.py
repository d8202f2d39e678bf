"""Token capacities of releases before 0.5.15 equal what their own sizing answered (``early_pools_dump`` asks)."""

from __future__ import annotations

from typing import Any

import pytest

from sglint import catalogue
from sglint.launch.argv import parse, words_of
from sglint.memory.early_facts import early_view
from sglint.memory.gather import gather
from sglint.memory.reserve import memory_fraction
from sglint.memory.solve import solve
from sglint.models import hardware, registry
from sglint.resolution import facts_of

from .early_pools_cases import MODELS, RELEASES
from .pool_vectors import EARLY, Line, read

LINES = tuple(read(EARLY))


def _computed(line: Line) -> dict[str, Any]:
    words = words_of(["--model-path", line["model_config"], *line["argv"]])
    model, gpu = registry.find(line["model_config"]), hardware.find(line["gpu"])
    assert model is not None and gpu is not None
    facts = early_view(facts_of(parse(words, catalogue.load(line["version"])), model, None, gpu, 8, {}))
    inputs = gather(facts, line["rest_bytes"])
    pools = solve(inputs, sm=gpu.sm)
    return {
        "max_total_num_tokens": pools.max_total_num_tokens,
        "full_tokens": pools.full_tokens,
        "swa_tokens": pools.swa_tokens,
        "max_running_requests": pools.max_running_requests,
        "page_size": inputs.page_size,
        "context_length": inputs.context_length,
        "hybrid_swa": inputs.hybrid_swa,
        "mem_fraction_static": memory_fraction(facts),
    }


@pytest.mark.parametrize("release", RELEASES)
def test_every_number_of_an_early_release_is_equal(release: str) -> None:
    lines = [line for line in LINES if line["version"] == release]
    wrong = {}
    for line in lines:
        ours = _computed(line)
        found = {name: (line[name], value) for name, value in ours.items() if line[name] != value}
        if found:
            wrong[" ".join((line["model_config"], *line["argv"]))] = found
    assert wrong == {}
    assert len(lines) > 20


def test_the_kept_lines_reach_every_model_and_both_kinds_of_pool(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\npools before 0.5.15: {len(LINES)} lines of {len(RELEASES)} releases compared")
    assert {line["model_config"] for line in LINES} == set(MODELS)
    assert sum(line["hybrid_swa"] for line in LINES) > 80
    assert len({(line["model_config"], line["kv_dtype"]) for line in LINES}) > 2 * len(MODELS)
