"""Release and hardware evidence in the surroundings of a launch: image references, install lines, GPU names.

Everything here takes mapped text, so that each piece of evidence carries the exact place it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..launch.model import EnvVar, Evidence, Image, Place, Word
from ..patterns import lazy
from ..text import Mapped

# SGLang has been 0.x all its life; other version lines in tags (CUDA 12.8.1, NIXL 1.0) are not its own.
_RELEASE = r"(?<![\d.])v?(0\.\d+\.\d+(?:\.?post\d+)?(?:[.-]?rc\d+)?)(?![\d.]*\d)"
_PLAIN_TAG = lazy(_RELEASE + r"(?=$|[-_+])")
_NAMED_RELEASE = lazy(r"(?:sglang|sgl)[-_+]?" + _RELEASE, re.IGNORECASE)
# AMD publishes development images as sgl-dev.
_OF_SGLANG = lazy(r"sglang|(?<![a-z])sgl-dev$")
# Images with SGLang in their name and a version line of their own.
_OWN_VERSIONS = lazy(r"router|gateway|dynamo|sglang-runtime|sgl-kernel|sglang-jax|operator")
_REQUIREMENT = lazy(r"sglang\s*(?:\[[^\]]*\])?\s*==\s*([0-9][0-9A-Za-z.]*)")
_GIT_TAG = lazy(r"v(0\.\d+\.\d+(?:\.?post\d+)?(?:[.-]?rc\d+)?)$")

_GPU = lazy(
    r"(?<![a-z0-9])(gb[23]00|gh200|b[23]00|h[12]00|h20|h800|a[18]00|a30|a10g?|l40s?|l20|l4|v100|t4"
    r"|rtx-?pro-?6000|rtx-?6000|rtx-?[345]090|a6000|a5000|mi3[0-9]{2}[xa]?)(?![a-z0-9])",
    re.IGNORECASE,
)
# Instance types of the large clouds that come with one kind of GPU.
_INSTANCES = {
    "p4d": "a100",
    "p4de": "a100",
    "p5": "h100",
    "p5e": "h200",
    "p5en": "h200",
    "p6-b200": "b200",
    "p6e-gb200": "gb200",
    "g5": "a10g",
    "g6": "l4",
    "g6e": "l40s",
    "a2-highgpu": "a100",
    "a2-ultragpu": "a100",
    "a3-highgpu": "h100",
    "a3-megagpu": "h100",
    "a3-ultragpu": "h200",
    "a4-highgpu": "b200",
    "a4x-highgpu": "gb200",
    "g2-standard": "l4",
}


def normal_release(text: str) -> str:
    """A version as SGLang publishes it: ``0.5.13post1`` is ``0.5.13.post1``, ``v`` and blanks are dropped."""
    plain = text.strip().lower().removeprefix("v")
    plain = re.sub(r"\.?post", ".post", plain)
    return re.sub(r"[.-]?rc", "rc", plain)


def image_of(reference: Mapped, path: str | None = None) -> Image:
    """The image reference split at its tag; a digest belongs to neither name nor tag."""
    text = reference.text
    end = text.find("@")
    end = len(text) if end < 0 else end
    colon = text.rfind(":", 0, end)
    place = Place(reference.span(), path)
    if colon < 0 or "/" in text[colon:end]:
        return Image(text, place)
    tag = reference.slice(colon + 1, end)
    is_assembled = len(tag.runs) > 1 or not reference.is_exact(colon + 1, end)
    return Image(text, place, tag.text, Place(reference.span(colon + 1, end), path), is_assembled)


def release_in_tag(name: str, tag: str) -> str | None:
    """The SGLang release that ``tag`` of image ``name`` names; None for moving tags and other version lines."""
    inside = _NAMED_RELEASE.search(tag)
    if inside:
        return normal_release(inside.group(1))
    repository = name.lower()
    if not _OF_SGLANG.search(repository) or _OWN_VERSIONS.search(repository):
        return None
    plain = _PLAIN_TAG.match(tag)
    return normal_release(plain.group(1)) if plain else None


def release_of_image(image: Image | None, source: str = "image tag") -> Evidence | None:
    """Evidence of the release in an image reference, placed at the whole tag."""
    if image is None or image.tag is None or image.tag_place is None:
        return None
    name = image.text.partition("@")[0].rpartition(":")[0]
    release = release_in_tag(name, image.tag)
    return Evidence(release, source, image.tag_place) if release else None


def release_of_image_file(reference: Mapped, path: str | None = None) -> Evidence | None:
    """Evidence in the name of a container image file (``sglang-0.5.15.sif``), placed at the version."""
    found = _NAMED_RELEASE.search(reference.text)
    if not found:
        return None
    place = Place(reference.span(*found.span(1)), path)
    return Evidence(normal_release(found.group(1)), "container image", place)


def release_of_requirement(requirement: Mapped, path: str | None = None) -> Evidence | None:
    """Evidence in a pinned requirement (``sglang[all]==0.5.12``), placed at the version."""
    found = _REQUIREMENT.search(requirement.text)
    if not found:
        return None
    place = Place(requirement.span(*found.span(1)), path)
    return Evidence(normal_release(found.group(1)), "pip install", place)


def release_of_git_tag(tag: Mapped, path: str | None = None) -> Evidence | None:
    """Evidence in a Git tag (``v0.5.10``), placed at the version."""
    found = _GIT_TAG.match(tag.text)
    if not found:
        return None
    return Evidence(normal_release(found.group(1)), "git checkout", Place(tag.span(*found.span(1)), path))


def gpu_in(text: str) -> tuple[str, int, int] | None:
    """The GPU that a node label, product name or instance type names: (lower-case name, start, end)."""
    found = _GPU.search(text)
    if found:
        return re.sub(r"[-_ ]", "", found.group(1).lower()), *found.span(1)
    head = text.lower().partition(".")[0]
    for prefix in (head, *[head.rsplit("-", cut)[0] for cut in (1, 2)]):
        if prefix in _INSTANCES:
            return _INSTANCES[prefix], 0, len(text)
    return None


def gpu_of_label(value: Mapped, source: str = "node label", path: str | None = None) -> Evidence | None:
    """Evidence of the GPU kind in a label's value, placed at the whole value."""
    found = gpu_in(value.text)
    return Evidence(found[0], source, Place(value.span(), path)) if found else None


VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
"""Variables that list the GPUs a process may use, of each vendor."""


def visible_devices(value: Mapped, path: str | None = None, source: str = VISIBLE[0]) -> Evidence | None:
    """How many GPUs ``CUDA_VISIBLE_DEVICES`` or its like leaves; None when the list is empty or means none."""
    devices = [item.strip() for item in value.text.split(",")]
    if not all(re.fullmatch(r"\d+|GPU-[0-9a-fA-F-]+|MIG-[\w-]+", item) for item in devices):
        return None
    return Evidence(len(devices), source, Place(value.span(), path))


def visible_in(env: Iterable[EnvVar]) -> Evidence | None:
    """How many GPUs the variables of a process leave it."""
    set_there = {variable.name: variable for variable in env if variable.name in VISIBLE}
    for name in VISIBLE:
        variable = set_there.get(name)
        if variable is not None and variable.value and variable.place is not None:
            place = variable.place
            return visible_devices(Mapped.whole(variable.value, place.span), place.path, name)
    return None


def docker_gpus(value: Mapped, path: str | None = None) -> Evidence | None:
    """How many GPUs the value of ``docker run --gpus`` gives; None for ``all``."""
    listed = re.search(r"device=([\w,-]+)", value.text)
    if listed:
        return Evidence(len(listed[1].split(",")), "docker --gpus", Place(value.span(*listed.span(1)), path))
    if value.text.isdecimal():
        return Evidence(int(value.text), "docker --gpus", Place(value.span(), path))
    return None


def slurm_gpus(option: str, value: Mapped, path: str | None = None) -> tuple[Evidence | None, Evidence | None]:
    """GPU kind and count per node in a Slurm option's value (``gpu:h100:8``, ``h100:4``, ``8``, a constraint)."""
    source = f"sbatch {option}"
    if option == "--constraint":
        found = gpu_in(value.text)
        kind = Evidence(found[0], source, Place(value.span(found[1], found[2]), path)) if found else None
        return kind, None
    pattern = r"(?:gpu:)?(?:([A-Za-z][\w-]*):)?(\d+)" if option != "--gres" else r"gpu(?::([A-Za-z][\w-]*))?:(\d+)"
    match = re.search(rf"(?:^|,){pattern}(?=$|,|\()", value.text)
    if not match:
        return None, None
    count = Evidence(int(match[2]), source, Place(value.span(*match.span(2)), path))
    found = gpu_in(match[1]) if match[1] else None
    if not found:
        return None, count
    at = match.start(1)
    return Evidence(found[0], source, Place(value.span(at + found[1], at + found[2]), path)), count


def mapped_of(word: Word) -> Mapped:
    """The word's text with its places; a word whose text came as one piece maps as a whole."""
    return word.mapped if word.mapped is not None else Mapped.whole(word.text or "", word.span)
