"""Releases and GPUs that image references, install lines, labels and batch options tell."""

from __future__ import annotations

import pytest

from sglint.hosts import evidence
from sglint.text import Mapped


@pytest.mark.parametrize(
    ("reference", "release"),
    [
        ("lmsysorg/sglang:v0.5.18", "0.5.18"),
        ("lmsysorg/sglang:v0.5.18-cu129", "0.5.18"),
        ("lmsysorg/sglang:v0.5.5.post3-cu129-amd64", "0.5.5.post3"),
        ("lmsysorg/sglang:v0.5.4rc1", "0.5.4rc1"),
        ("lmsysorg/sglang-rocm:v0.5.13.post1-rocm720-mi35x-20260101", "0.5.13.post1"),
        ("lmsysorg/sglang:v0.5.14-cu130@sha256:00ff", "0.5.14"),
        ("hub.example:5000/mirror/sglang:0.5.13post1", "0.5.13.post1"),
        ("aibrix/sglang:v0.4.9.post3-cu126-nixl-v0.4.1", "0.4.9.post3"),
        ("x/mooncake:0.3.7.post2-sglang0.5.5.post3-deepep", "0.5.5.post3"),
        ("lmsysorg/sglang:latest-cu130", None),
        ("lmsysorg/sglang:dev-cu13", None),
        ("lmsysorg/sglang:nightly-dev-cu13-20260528-0123abcd", None),
        ("lmsysorg/sglang:kimi-k3", None),
        ("lmsysorg/sglang:${TAG}", None),
        ("lmsysorg/sglang", None),
        ("lmsysorg/sglang@sha256:00ff", None),
        ("lmsysorg/sglang-router:v0.2.4", None),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.1", None),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.9.0", None),
        ("example/engine:0.5.18", None),
    ],
)
def test_release_of_an_image(reference: str, release: str | None) -> None:
    image = evidence.image_of(Mapped.identity(reference, 100))
    found = evidence.release_of_image(image)
    assert (found.value if found else None) == release
    if found is not None and found.place is not None and image.tag is not None:
        start, end = found.place.span
        assert reference[start - 100 : end - 100] == image.tag


@pytest.mark.parametrize(
    ("requirement", "release"),
    [
        ("sglang==0.5.9", "0.5.9"),
        ("sglang[all]==0.4.2.post4", "0.4.2.post4"),
        ("sglang[all]>=0.5", None),
        ("sglang", None),
        ("sglang-router==0.2.4", None),
    ],
)
def test_release_of_a_requirement(requirement: str, release: str | None) -> None:
    found = evidence.release_of_requirement(Mapped.identity(requirement))
    assert (found.value if found else None) == release


@pytest.mark.parametrize(
    ("label", "gpu"),
    [
        ("NVIDIA-H100-80GB-HBM3", "h100"),
        ("nvidia-h200-141gb", "h200"),
        ("NVIDIA-A100-SXM4-80GB", "a100"),
        ("NVIDIA-L40S", "l40s"),
        ("Standard_ND96isr_H100_v5", "h100"),
        ("p5en.48xlarge", "h200"),
        ("a3-megagpu-8g", "h100"),
        ("m5.large", None),
        ("true", None),
    ],
)
def test_gpu_of_a_label(label: str, gpu: str | None) -> None:
    found = evidence.gpu_of_label(Mapped.identity(label))
    assert (found.value if found else None) == gpu


@pytest.mark.parametrize(("value", "count"), [("0,1", 2), ("3", 1), ("", None), ("-1", None), ("all", None)])
def test_visible_devices(value: str, count: int | None) -> None:
    found = evidence.visible_devices(Mapped.identity(value))
    assert (found.value if found else None) == count


@pytest.mark.parametrize(
    ("option", "value", "gpu", "count"),
    [
        ("--gres", "gpu:h100:8", "h100", 8),
        ("--gres", "gpu:4", None, 4),
        ("--gres", "nvme:1,gpu:a100:2", "a100", 2),
        ("--gpus-per-node", "h200:8", "h200", 8),
        ("--gpus-per-node", "4", None, 4),
        ("--constraint", "a100", "a100", None),
        ("--gres", "craynetwork:1", None, None),
    ],
)
def test_slurm_options(option: str, value: str, gpu: str | None, count: int | None) -> None:
    kind, number = evidence.slurm_gpus(option, Mapped.identity(value))
    assert (kind.value if kind else None, number.value if number else None) == (gpu, count)
