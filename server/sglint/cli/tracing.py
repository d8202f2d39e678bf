"""What linting a document rested on besides the document: every answer it got about other files.

Linting is a function of the document, the settings and these answers. Where all of them are the same again, absent
files and the names in folders among them, so is the report.
"""

# ruff: noqa: PTH118, PTH207
# Of ten thousand files each question is asked again in every run.

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence

from ..models.files import LARGEST_CONFIG
from ..records import dataclass
from ..text import Sources
from ..text.document import names_on_disk
from .loading import read_text

_DIGEST = 16
_TEXT, _NAMES, _STATE, _LINTED = "text", "names", "state", "linted"


@dataclass(frozen=True)
class Answer:
    """What was said about ``path``: the digest of its ``text``, of the ``names`` in it, of the ``state`` of a model's
    file or folder, or whether it is ``linted`` in its own right. ``digest`` is None for nothing there."""

    kind: str
    path: str
    digest: bytes | None

    @property
    def is_of_disk(self) -> bool:
        """Whether files alone decide it, and not which of them a run was given."""
        return self.kind != _LINTED


class Trace:
    """Sources that answer as the disk does and keep what they answered."""

    def __init__(self, linted: Container[str]) -> None:
        self._answers: dict[tuple[str, str], bytes | None] = {}
        self._torn = False
        self.sources = Sources(self._text, names=self._names, linted=_Watched(linted, self._note))

    def answers(self) -> tuple[Answer, ...] | None:
        """Everything that was asked; None when a file changed meanwhile, so that the answers are no one state."""
        texts = {path for kind, path in self._answers if kind == _TEXT}
        for path in sorted(self.sources.used - texts):
            self._note(_STATE, path, _of_state(path))
        return None if self._torn else tuple(Answer(*key, digest) for key, digest in self._answers.items())

    def _text(self, path: str) -> str | None:
        text = read_text(path)
        self._note(_TEXT, path, _of_text(text))
        return text

    def _names(self, folder: str) -> Sequence[str]:
        names = names_on_disk(folder)
        self._note(_NAMES, folder, _of_names(names))
        return names

    def _note(self, kind: str, path: str, digest: bytes | None) -> None:
        if self._answers.setdefault((kind, path), digest) != digest:
            self._torn = True


class Disk:
    """The same questions, answered by the files as they are now; each is looked at once."""

    def __init__(self, linted: Container[str]) -> None:
        self._linted = linted
        self._known: dict[tuple[str, str], bytes | None] = {}

    def agree(self, answers: Iterable[Answer]) -> bool:
        """Whether every question has its old answer."""
        return all(self._digest(answer.kind, answer.path) == answer.digest for answer in answers)

    def _digest(self, kind: str, path: str) -> bytes | None:
        if kind == _LINTED:
            return _of_flag(path in self._linted)
        if (kind, path) not in self._known:
            self._known[kind, path] = _looked_up(kind, path)
        return self._known[kind, path]


class _Watched:
    """Members of which every question is noted."""

    def __init__(self, members: Container[str], note: Callable[[str, str, bytes | None], None]) -> None:
        self._members = members
        self._note = note

    def __contains__(self, path: object) -> bool:
        held = path in self._members
        self._note(_LINTED, str(path), _of_flag(held))
        return held


def _looked_up(kind: str, path: str) -> bytes | None:
    if kind == _TEXT:
        return _of_text(read_text(path))
    return _of_names(names_on_disk(path)) if kind == _NAMES else _of_state(path)


def _of_text(text: str | None) -> bytes | None:
    return None if text is None else digest_of(text.encode("utf-8", "surrogatepass"))


def _of_names(names: Sequence[str]) -> bytes:
    return digest_of("/".join(names).encode("utf-8", "surrogateescape"))


def _of_flag(held: bool) -> bytes | None:
    return b"" if held else None


def _of_state(path: str) -> bytes | None:
    """A model's ``config.json``, or every one that its folder may give, the newest of which counts."""
    from glob import escape, glob

    found: list[bytes] = []
    for file in (path, os.path.join(path, "config.json"), *sorted(glob(f"{escape(path)}/*/config.json"))):
        try:
            with open(file, "rb") as content:
                state = os.fstat(content.fileno())
                found += [os.fsencode(file), str(state.st_mtime_ns).encode(), digest_of(content.read(LARGEST_CONFIG))]
        except (OSError, ValueError):
            continue
    return digest_of(b"\0".join(found)) if found else None


def digest_of(data: bytes) -> bytes:
    # Loads the system's library of ciphers, which a run over a file that refers to no other does without.
    from hashlib import blake2b

    return blake2b(data, digest_size=_DIGEST).digest()
