"""Whether a text can hold a launch at all: a few substring searches, before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MENTIONS = ("sglang", "mem-fraction-static", "mem_fraction_static", "model-path", "model_path", "tp-size", "SGLANG")
"""A launch names the server, or has flags of which one is nearly always among these."""

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")

CHANGING_KEYS = ("images", "patch", "Generator", "replacements", "vars", "components")
"""A kustomization that changes what the manifests it lists start has one of these in its keys."""

MAX_CHARACTERS = 10_000_000
"""Longer texts are data, not deployments."""


_own: ContextVar[frozenset[str]] = ContextVar("own launchers", default=frozenset())


@contextmanager
def own_launchers(names: Iterable[str]) -> Iterator[None]:
    """While one document is read: scripts and modules of the user's, by name, that take the server's flags."""
    token = _own.set(frozenset(names_of(names)))
    try:
        yield
    finally:
        _own.reset(token)


def launchers() -> frozenset[str]:
    """The user's own launchers for the document at hand, without their folders."""
    return _own.get()


def names_of(launchers: Iterable[str]) -> Iterator[str]:
    """Launchers as settings write them, without their folders."""
    return (name for launcher in launchers if (name := launcher.rstrip("/").rpartition("/")[2]))


def may_hold_launch(text: str) -> bool:
    """Whether a text names a server, a flag of one, or a launcher of the user's."""
    return any(mention in text for mention in MENTIONS) or any(name in text for name in _own.get())


def mentions(launchers: Iterable[str] = ()) -> tuple[bytes, ...]:
    """What a file in UTF-8 holds one of, if it may hold a launch under settings with these launchers."""
    return tuple(word.encode("utf-8", "surrogatepass") for word in (*MENTIONS, *names_of(launchers)))


def may_be_of_chart(path: str) -> bool:
    """Whether a file may be a chart's template or values, whose launches other files of the chart complete."""
    return "templates" in path or "values" in path


def is_kustomization(path: str) -> bool:
    """Whether a file may be a kustomization, whose launches stand in the files that it lists."""
    return path.replace("\\", "/").rpartition("/")[2] in KUSTOMIZATIONS


def may_be_completed(path: str) -> bool:
    """Whether other files may make a launch of a file that names no server."""
    return may_be_of_chart(path) or is_kustomization(path)


def is_binary(text: str) -> bool:
    """Whether the text holds a NUL, which no notation we read allows."""
    return "\0" in text
