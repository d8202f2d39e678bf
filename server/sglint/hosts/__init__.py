"""Notations in which people write launches: each reads a document into launches with exact places."""

from __future__ import annotations

from collections.abc import Sequence

from ..launch.model import Launch, Problem, Reading
from ..text import Document, Sources, Span
from ..text.document import is_template
from .config_files import with_config_files
from .gate import (
    CHANGING_KEYS,
    KUSTOMIZATIONS,
    MAX_CHARACTERS,
    MENTIONS,
    is_binary,
    is_kustomization,
    may_be_completed,
    may_be_of_chart,
    may_hold_launch,
    own_launchers,
)

__all__ = ["MAX_CHARACTERS", "MENTIONS", "may_hold_launch", "read"]


def read(document: Document, sources: Sources, launchers: Sequence[str] = ()) -> Reading:
    """What ``document`` starts, and what hinders reading it. Never raises: a fault of ours is an ``internal-error``.

    ``launchers`` are scripts of the user's, by name, that take the server's flags.
    """
    with own_launchers(launchers):
        return _read_with(document, sources)


def _read_with(document: Document, sources: Sources) -> Reading:
    if len(document.text) > MAX_CHARACTERS:
        message = f"The file is longer than {MAX_CHARACTERS:,} characters and is not checked."
        return _only(document, "SGL002", "too-large", message)
    if not may_hold_launch(document.text) and not _is_completed(document, sources):
        return Reading(document)
    if is_binary(document.text):
        return _only(document, "SGL003", "binary", "The file holds NUL bytes and is not checked.")
    try:
        return with_config_files(_read(document, sources), sources)
    except Exception as error:
        message = f"SGLint failed to read this file as {document.language}: {type(error).__name__}: {error}"
        return _only(document, "SGL000", "internal-error", message)


def _is_completed(document: Document, sources: Sources) -> bool:
    """Whether other files of its chart or kustomization may make a launch of a file that names no server."""
    if document.language != "yaml" or not may_be_completed(document.path):
        return False
    if is_kustomization(document.path):
        return any(key in document.text for key in CHANGING_KEYS)
    from . import helm_chart

    return helm_chart.takes_part(document, sources)


def _read(document: Document, sources: Sources) -> Reading:
    if document.language == "yaml":
        of_chart = _read_of_chart(document, sources) if may_be_of_chart(document.path) else None
        if of_chart is not None:
            return of_chart
        from . import yaml_host

        reading = yaml_host.read(document, sources)
        if any(launch.host == "compose" for launch in reading.launches) or "extends" in document.text:
            from .compose_extends import with_extended

            return with_extended(reading, sources)
        return _kustomized(reading, sources)
    if document.language == "shell":
        return _read_script(document, sources)
    if document.language == "dockerfile":
        from . import dockerfile

        return dockerfile.read(document, sources)
    if document.language == "python":
        from . import python_host

        return python_host.read(document, sources)
    if document.language == "systemd":
        from . import systemd

        return systemd.read(document, sources)
    if document.language in ("makefile", "justfile"):
        from . import recipes

        return recipes.read(document, sources)
    return Reading(document)


def _read_script(document: Document, sources: Sources) -> Reading:
    """A script; one with the expressions of a template among the words of a launch is a template, whatever its name."""
    if not is_template(document.path):
        from . import shell

        reading = shell.read(document, sources)
        if "{{" not in document.text or not any(map(_holds_expression, reading.launches)):
            return reading
    from . import jinja

    return jinja.read(document, sources)


def _holds_expression(launch: Launch) -> bool:
    return any("{{" in (word.text or "") and '{{"' not in (word.text or "") for word in launch.words)


def _kustomized(reading: Reading, sources: Sources) -> Reading:
    """The reading as a kustomization beside the file changes it; what builds one is loaded where there is one."""
    document = reading.document
    folder = document.path.replace("\\", "/").rpartition("/")[0]
    beside = (f"{folder}/{name}" if folder else name for name in KUSTOMIZATIONS)
    if not is_kustomization(document.path):
        is_manifest = "kind:" in document.text or "op:" in document.text
        if not is_manifest or all(sources.text(path) is None for path in beside):
            return reading
    from .kustomize import with_kustomization

    return with_kustomization(reading, sources)


def _read_of_chart(document: Document, sources: Sources) -> Reading | None:
    """A template or a file of values; None where it is none."""
    from . import helm_chart, helm_host, yaml_host

    if "{{" in document.text:
        folder = helm_chart.chart_of_template(document.path, sources)
        if folder is not None:
            return helm_host.read(document, sources, folder)
    folder = helm_chart.chart_of_values(document.path, sources)
    if folder is None:
        return None
    return helm_host.with_printed(yaml_host.read(document, sources), sources, folder)


def _only(document: Document, code: str, name: str, message: str) -> Reading:
    problem = Problem(code, name, "error" if code == "SGL000" else "warning", message, Span(0, 0))
    return Reading(document, problems=(problem,))
