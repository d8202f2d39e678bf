"""Notations in which people write launches: each reads a document into launches with exact places."""

from __future__ import annotations

from ..launch.model import Problem, Reading
from ..text import Document, Sources, Span
from .gate import MAX_CHARACTERS, MENTIONS, is_binary, may_hold_launch

__all__ = ["MAX_CHARACTERS", "MENTIONS", "may_hold_launch", "read"]


def read(document: Document, sources: Sources) -> Reading:
    """What ``document`` starts, and what hinders reading it. Never raises: a fault of ours is an ``internal-error``."""
    if len(document.text) > MAX_CHARACTERS:
        message = f"The file is longer than {MAX_CHARACTERS:,} characters and is not checked."
        return _only(document, "SGL002", "too-large", message)
    if not may_hold_launch(document.text) and not _prints_elsewhere(document):
        return Reading(document)
    if is_binary(document.text):
        return _only(document, "SGL003", "binary", "The file holds NUL bytes and is not checked.")
    try:
        return _read(document, sources)
    except Exception as error:
        message = f"SGLint failed to read this file as {document.language}: {type(error).__name__}: {error}"
        return _only(document, "SGL000", "internal-error", message)


def _prints_elsewhere(document: Document) -> bool:
    """Whether it is a chart's template whose launch may stand in a named template or in the values."""
    text = document.text
    return "templates" in document.path and "{{" in text and ("include" in text or "toYaml" in text)


def _read(document: Document, sources: Sources) -> Reading:
    if document.language == "yaml":
        if "{{" in document.text and "templates" in document.path:
            from . import helm_host

            chart = helm_host.chart_of(document, sources)
            if chart is not None:
                return helm_host.read(document, sources, chart)
        from . import yaml_host

        reading = yaml_host.read(document, sources)
        if any(launch.host == "helm-values" for launch in reading.launches):
            from . import helm_host

            return helm_host.without_printed(reading, sources)
        return reading
    if document.language == "shell":
        from . import shell

        return shell.read(document, sources)
    if document.language == "dockerfile":
        from . import dockerfile

        return dockerfile.read(document, sources)
    if document.language == "systemd":
        from . import systemd

        return systemd.read(document, sources)
    return Reading(document)


def _only(document: Document, code: str, name: str, message: str) -> Reading:
    problem = Problem(code, name, "error" if code == "SGL000" else "warning", message, Span(0, 0))
    return Reading(document, problems=(problem,))
