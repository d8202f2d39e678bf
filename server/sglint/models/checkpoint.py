"""Tensors of a checkpoint on disk, from the headers of its safetensors files; no weight is read.

A file is an eight-byte little-endian length, that many bytes of JSON, and the data. What a folder holds is not to be
trusted: lengths, shapes and names are checked before they are used.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..records import dataclass

INDEX = "model.safetensors.index.json"
MOST_FILES = 1024
MOST_HEADER_BYTES = 16 << 20
"""Of one file; the largest published ones have about 2 MiB."""
MOST_BYTES = 128 << 20
"""Of all headers of a checkpoint."""
MOST_DIMENSIONS = 8

ELEMENT_BYTES = {
    **dict.fromkeys(("F64", "I64", "U64"), 8.0),
    **dict.fromkeys(("F32", "I32", "U32"), 4.0),
    **dict.fromkeys(("BF16", "F16", "I16", "U16"), 2.0),
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "F8_E8M0", "I8", "U8", "BOOL"), 1.0),
    **dict.fromkeys(("F4", "F6_E2M3", "F6_E3M2"), 0.5),
}


class Damaged(Exception):
    """A file of the checkpoint is not what its kind says; the message names it."""


@dataclass(frozen=True)
class Tensor:
    """``bytes`` as the file has them; ``dtype`` in safetensors' spelling."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Checkpoint:
    """``total`` bytes of all tensors; ``tensors`` empty where only an index says the total. ``files`` were read."""

    total: int
    tensors: tuple[Tensor, ...]
    files: int


def read_checkpoint(folder: str) -> Checkpoint | None:
    """The checkpoint in ``folder``, None without one. Raises :class:`Damaged`."""
    try:
        names = sorted(file.name for file in Path(folder).iterdir() if file.name.endswith(".safetensors"))
    except OSError:
        return None
    index = Path(folder) / INDEX
    listed = _index(index) if index.is_file() else None
    wanted = listed[1] if listed else None
    if wanted is not None:
        # Files of another layout (``consolidated.safetensors``) hold the same tensors again.
        if not wanted <= set(names):
            return Checkpoint(listed[0], (), 0) if listed and listed[0] > 0 else None
        names = sorted(wanted)
    if not names:
        return None
    if len(names) > MOST_FILES:
        raise Damaged(f"{Path(folder).name}: more than {MOST_FILES} safetensors files")
    found: list[Tensor] = []
    read = 0
    for name in names:
        tensors, size = _header(Path(folder) / name)
        read += size
        if read > MOST_BYTES:
            raise Damaged(f"{Path(folder).name}: headers of more than {MOST_BYTES >> 20} MiB")
        found.extend(tensors)
    return Checkpoint(sum(tensor.bytes for tensor in found), tuple(found), len(names))


def _index(file: Path) -> tuple[int, set[str]] | None:
    """(total bytes, 0 if it does not say; names of the files) of an index; None where it names none."""
    try:
        if file.stat().st_size > MOST_HEADER_BYTES:
            raise Damaged(f"{file.name}: too large for an index")
        data: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        return None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{file.name}: not a JSON file") from error
    names = data.get("weight_map") if isinstance(data, Mapping) else None
    if not isinstance(names, Mapping) or not names:
        raise Damaged(f"{file.name}: names no files")
    files = {str(name) for name in names.values()}
    if any("/" in name or "\\" in name or not name.endswith(".safetensors") for name in files):
        raise Damaged(f"{file.name}: names files outside its folder")
    metadata = data.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, Mapping) else None
    return (int(total) if isinstance(total, int) and not isinstance(total, bool) and total > 0 else 0), files


def _header(file: Path) -> tuple[tuple[Tensor, ...], int]:
    try:
        found = file.stat()
    except OSError as error:
        raise Damaged(f"{file.name}: cannot be read ({(error.strerror or 'unreadable').lower()})") from error
    if not stat.S_ISREG(found.st_mode):
        raise Damaged(f"{file.name}: not a file")
    return _parsed(str(file), found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=512)
def _parsed(path: str, size: int, changed: int) -> tuple[tuple[Tensor, ...], int]:
    """Tensors of a file and bytes of its header. ``size`` and ``changed`` say which state of the file is meant."""
    name = Path(path).name
    try:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(MOST_HEADER_BYTES, size - 8):
                raise Damaged(f"{name}: its header cannot have {length} bytes")
            header: Any = json.loads(file.read(length))
    except OSError as error:
        raise Damaged(f"{name}: cannot be read ({(error.strerror or 'unreadable').lower()})") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{name}: its header is not JSON") from error
    if not isinstance(header, Mapping):
        raise Damaged(f"{name}: its header is not an object")
    return tuple(_tensors(name, header, size - 8 - length)), length


def _tensors(file: str, header: Mapping[str, Any], data: int) -> Iterator[Tensor]:
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
            sizes = tuple(shape)
            proper = all(type(number) is int and number >= 0 for number in (*sizes, begin, end))
        except (KeyError, TypeError, ValueError) as error:
            raise Damaged(f"{file}: {name[:80]} is not described as a tensor") from error
        if not proper or not begin <= end <= data or len(sizes) > MOST_DIMENSIONS or dtype not in ELEMENT_BYTES:
            raise Damaged(f"{file}: {name[:80]} is not described as a tensor")
        elements = 1
        for number in sizes:
            elements *= number
        if int(elements * ELEMENT_BYTES[dtype]) != end - begin:
            raise Damaged(f"{file}: {name[:80]} has other bytes than its shape")
        yield Tensor(name, dtype, sizes, end - begin)
