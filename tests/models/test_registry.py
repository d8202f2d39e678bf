"""The shipped registry and the GPU table: how names are matched."""

from __future__ import annotations

import pytest

from sglint.models import hardware, registry


def test_ids_match_whatever_their_case() -> None:
    found = registry.look_up("OpenAI/GPT-OSS-120B")
    assert found is not None
    assert (found.name, found.note) == ("openai/gpt-oss-120b", None)


def test_last_part_matches_when_one_configuration_has_it_and_says_so() -> None:
    found = registry.look_up("/models/qwen3-235b-a22b-fp8/")
    assert found is not None
    assert found.name == "Qwen/Qwen3-235B-A22B-FP8"
    assert found.note is not None and "Qwen/Qwen3-235B-A22B-FP8" in found.note


@pytest.mark.parametrize("name", ["nobody/nothing", "", "/", "gpt-oss", "$MODEL"])
def test_other_names_are_not_known(name: str) -> None:
    assert registry.find(name) is None


def test_unconfirmed_shapes_say_so() -> None:
    found = registry.look_up("google/gemma-3-27b-it")
    assert found is not None and found.note is not None and "not confirmed" in found.note


def test_made_up_shapes_are_not_proposed() -> None:
    assert "inkling-synthetic" not in registry.names()
    assert "openai/gpt-oss-20b" in registry.names()


@pytest.mark.parametrize("name", registry.names())
def test_every_registered_configuration_reads(name: str) -> None:
    facts = registry.find(name)
    assert facts is not None
    assert facts.architecture and facts.num_hidden_layers > 0 and facts.head_dim > 0
    assert facts.traits("0.5.23").names


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("NVIDIA-H200", "h200"),
        ("NVIDIA-H100-80GB-HBM3", "h100"),
        ("nvidia-h100-80gb", "h100"),
        ("NVIDIA-A100-SXM4-40GB", "a100-40gb"),
        ("NVIDIA-H200-SHARED", "h200"),
        ("NVIDIA GeForce RTX 5090", "rtx5090"),
        ("Tesla-T4", "t4"),
        ("nvidia-l4", "l4"),
        ("AMD_Instinct_MI300X_OAM", "mi300x"),
        ("B200", "b200"),
    ],
)
def test_labels_of_operators_and_drivers(label: str, name: str) -> None:
    gpu = hardware.find(label)
    assert gpu is not None and gpu.name == name


@pytest.mark.parametrize("label", ["nvidia.com/gpu", "true", "", "gpu", "h2000", "NVIDIA"])
def test_labels_that_name_no_gpu(label: str) -> None:
    assert hardware.find(label) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("h200x8", ("h200", 8)),
        (" h200 x8 ", ("h200", 8)),
        ("8xH100", ("H100", 8)),
        ("8 * H100", ("H100", 8)),
        ("rtx4090", ("rtx4090", None)),
        ("h200", ("h200", None)),
        (f"a{' ' * 20_000}b", (f"a{' ' * 20_000}b", None)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_counts_ride_on_names(text: str, parts: tuple[str, int | None]) -> None:
    assert hardware.split_count(text) == parts
