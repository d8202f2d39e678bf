"""GPU kind and count, and the limit of host memory, in the YAML around a launch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..launch.model import Evidence, Place
from ..patterns import lazy
from ..text import Mapped
from .evidence import gpu_in, gpu_of_label, visible_devices
from .scopes import Scope
from .yaml_tree import text_of

_VISIBLE = "CUDA_VISIBLE_DEVICES"
_GPU_RESOURCE = lazy(r"(?:^|[./-])gpu$")
_KIND_AND_COUNT = lazy(r"([A-Za-z][\w-]*)(?::(\d+))?$")
_ACCELERATORS = {"accelerators": "skypilot accelerators", "accelerator": "truss accelerator"}
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def gpu_kind_around(scope: Scope) -> Evidence | None:
    """The one kind of GPU that node labels, or a recipe, ask for; the nearest scope that says anything decides."""
    for around in scope.outward():
        found = [evidence for label in _labels(around) if (evidence := gpu_of_label(label))]
        found = found or list(_recipe_kinds(around))
        if found:
            return found[0] if len({evidence.value for evidence in found}) == 1 else None
    return None


def _labels(around: Scope) -> Iterator[Mapped]:
    selector = around.get("nodeSelector")
    for entry in around.tree.entries(selector) if selector else ():
        if text_of(entry.value) is not None:
            yield around.tree.embedding(entry.value).mapped
    for term in around.items(*_REQUIRED):
        for expression in term.items("matchExpressions"):
            if expression.text("operator") == "In":
                for value in expression.items("values"):
                    if text_of(value.item) is not None:
                        yield value.tree.embedding(value.item).mapped


def _recipe_kinds(around: Scope) -> Iterator[Evidence]:
    for path in (("resources", "gpu_type"), ("gpu_type",), ("gpu",)):
        value = around.mapped(*path)
        kind = _kind(value, "recipe") if value is not None else None
        if kind:
            yield kind
    for key, source in _ACCELERATORS.items():
        value = around.mapped("resources", key)
        match = _KIND_AND_COUNT.match(value.text) if value is not None else None
        if value is not None and match:
            kind = _kind(value.slice(0, match.end(1)), source)
            if kind:
                yield kind


def _kind(value: Mapped, source: str) -> Evidence | None:
    found = gpu_in(value.text)
    return Evidence(found[0], source, Place(value.span(found[1], found[2]))) if found else None


def gpu_count_around(scope: Scope, env_keys: Sequence[str]) -> Evidence | None:
    """How many GPUs one node gives: what the environment leaves visible, else the nearest resource entry."""
    visible = _visible(scope, env_keys)
    if visible is not None:
        return visible
    for around in scope.outward():
        found = _resources(around) or _devices(around) or _recipe_count(around)
        if found:
            return found
    return None


def _visible(scope: Scope, env_keys: Sequence[str]) -> Evidence | None:
    for key in env_keys:
        block = scope.get(key)
        if block is None or _VISIBLE not in scope.tree.text:
            continue
        value = scope.mapped(key, _VISIBLE)
        for variable in scope.items(key):
            if variable.text("name") == _VISIBLE:
                value = variable.mapped("value")
            elif (text_of(variable.item) or "").startswith(_VISIBLE + "="):
                value = variable.tree.embedding(variable.item).mapped.slice(len(_VISIBLE) + 1)
        if value is not None:
            return visible_devices(value)
    return None


def _resources(around: Scope) -> Evidence | None:
    for kind in ("limits", "requests"):
        resources = around.get("resources", kind)
        for entry in around.tree.entries(resources) if resources else ():
            text = text_of(entry.value)
            if text and text.isdecimal() and _GPU_RESOURCE.search(entry.key):
                return Evidence(int(text), f"resources.{kind}", around.place(entry.value))
    return None


_LIMITS = (("resources", "limits", "memory"), ("deploy", "resources", "limits", "memory"), ("mem_limit",))
_QUANTITY = lazy(r"(\d+(?:\.\d+)?)\s*([KMGTPE]?i?)B?", re.IGNORECASE)
_POWERS = {unit: power for power, unit in enumerate("KMGTPE", 1)}


def memory_limit_around(scope: Scope) -> Evidence | None:
    """Bytes of host memory that the nearest container may use."""
    for around in scope.outward():
        for path in _LIMITS:
            value = around.mapped(*path)
            size = quantity_bytes(value.text, binary=path[0] != "resources") if value is not None else None
            if value is not None and size is not None:
                return Evidence(size, ".".join(path[-3:]), Place(value.span()))
    return None


def quantity_bytes(text: str, *, binary: bool = False) -> int | None:
    """Bytes of a quantity (``64Gi``, ``500G``, ``1e11`` is none); ``binary``: ``64g`` counts in powers of 1024, too."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    unit = match[2].upper()
    base = 1024 if unit.endswith("I") or binary else 1000
    return int(float(match[1]) * base ** (_POWERS[unit[0]] if unit.rstrip("I") else 0))


def _devices(around: Scope) -> Evidence | None:
    """Compose device reservations; ``count: all`` says nothing."""
    for device in around.items("deploy", "resources", "reservations", "devices"):
        count, ids = device.get("count"), device.get("device_ids")
        text = text_of(count)
        if count is not None and text and text.isdecimal():
            return Evidence(int(text), "compose devices", device.place(count))
        if ids is not None and device.tree.items(ids):
            return Evidence(len(device.tree.items(ids)), "compose devices", device.place(ids))
    return None


def _recipe_count(around: Scope) -> Evidence | None:
    for path in (("resources", "gpus_per_node"), ("gpus_per_node",)):
        value = around.mapped(*path)
        if value is not None and value.text.isdecimal():
            return Evidence(int(value.text), "recipe", Place(value.span()))
    for key, source in _ACCELERATORS.items():
        value = around.mapped("resources", key)
        match = _KIND_AND_COUNT.match(value.text) if value is not None else None
        if value is not None and match and match[2]:
            return Evidence(int(match[2]), source, Place(value.span(*match.span(2))))
    return None
