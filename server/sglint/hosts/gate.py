"""Whether a text can hold a launch at all: a few substring searches, before anything is parsed."""

from __future__ import annotations

MENTIONS = ("sglang", "mem-fraction-static", "mem_fraction_static", "model-path", "model_path", "tp-size", "SGLANG")
"""A launch names the server, or has flags of which one is nearly always among these."""

MAX_CHARACTERS = 10_000_000
"""Longer texts are data, not deployments."""


def may_hold_launch(text: str) -> bool:
    return any(mention in text for mention in MENTIONS)


def may_be_of_chart(path: str) -> bool:
    """Whether a file may be a chart's template or values, whose launches other files of the chart complete."""
    return "templates" in path or "values" in path


def is_binary(text: str) -> bool:
    """Whether the text holds a NUL, which no notation we read allows."""
    return "\0" in text
