"""GPUs that Python programs ask a scheduler for: ``gpu="H100:8"`` of Modal, ``num_gpus=8`` of Ray, SkyPilot's
``accelerators``."""

from __future__ import annotations

import re

from ..launch.model import Evidence, Place
from ..records import dataclass
from ..text import Mapped, Span
from .evidence import gpu_in
from .python_values import Constant, Table, Text, Unknown

_COUNT = re.compile(r"(?::|count\s*=\s*)(\d+)\)?$")


@dataclass(frozen=True)
class Gpus:
    """Kind and number of GPUs, each as far as it is said."""

    kind: Evidence | None
    count: Evidence | None


def gpus_of(keywords: Table) -> Gpus | None:
    """What the keyword arguments of a decorator or a call ask for; None when they say nothing of GPUs."""
    for key in ("gpu", "accelerators", "num_gpus"):
        value = keywords.get(key)
        if isinstance(value, Constant) and isinstance(value.value, int) and not isinstance(value.value, bool):
            return Gpus(None, Evidence(value.value, key, Place(value.mapped.span())))
        if isinstance(value, Unknown):
            found = _of_text(value.mapped, key)
        elif isinstance(value, Text) and value.known is not None:
            found = _of_text(Mapped.join(part.placed for part in value.parts), key)
        elif isinstance(value, Table) and len(value.entries) == 1:
            entry = value.entries[0]
            number = entry.value
            found = _of_text(entry.written, key)
            if found is not None and isinstance(number, Constant) and isinstance(number.value, int):
                found = Gpus(found.kind, Evidence(number.value, key, Place(number.mapped.span())))
        else:
            continue
        if found is not None:
            return found
    return None


def _of_text(mapped: Mapped, source: str) -> Gpus | None:
    """``H100:8``, ``modal.gpu.H100(count=8)``."""
    kind = gpu_in(mapped.text)
    if kind is None:
        return None
    name, start, end = kind
    count = _COUNT.search(mapped.text)
    number = (
        Evidence(int(count[1]), source, Place(mapped.span(*count.span(1)))) if count and len(count[1]) < 6 else None
    )
    one = None
    if number is None and mapped.text[end:] in ("", "()", "!"):
        one = Evidence(1, source, Place(Span(*mapped.span(start, end))))
    return Gpus(Evidence(name, source, Place(mapped.span(start, end))), number or one)
