"""Facts of command lines for tests, by model name, GPU and release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sglint import catalogue
from sglint.facts import Facts, Unknown
from sglint.launch.argv import parse, words_of
from sglint.models import ModelFacts, hardware, registry
from sglint.resolution import facts_of

RELEASES = ("0.5.15.post1", "0.5.16", "0.5.17", "0.5.18", "0.5.19", "0.5.20", "0.5.21", "0.5.22", "0.5.23")


def known(name: str | None) -> ModelFacts | None:
    if name is None:
        return None
    facts = registry.find(name)
    assert facts is not None, name
    return facts


def space(
    command: str,
    *,
    release: str = "0.5.20",
    model: str | None = "openai/gpt-oss-120b",
    draft: str | None = None,
    gpu: str | None = "h200",
    env: dict[str, str | None] | None = None,
    maybe: tuple[str, ...] = (),
    holes: tuple[str, ...] = (),
) -> Facts:
    """``maybe`` words are there or not; ``holes`` stand for any number of words."""
    words = words_of(["--model-path", "m", *command.split()])
    words = tuple(
        replace(word, presence="maybe" if word.text in maybe else "yes", many=word.text in holes)
        if word.text not in holes
        else replace(word, text=None, mapped=None, many=True)
        for word in words
    )
    parsed = parse(words, catalogue.load(release))
    return facts_of(parsed, known(model), known(draft), hardware.find(gpu) if gpu else None, 8, env or {})


def resolved(name: str, command: str, **settings: Any) -> Any:
    value = space(command, **settings).look(f"resolved.{name}")
    assert not isinstance(value, Unknown), value.reasons
    return value


def reasons(name: str, command: str, **settings: Any) -> tuple[str, ...]:
    """Why a fact is not known; empty when it is."""
    value = space(command, **settings).look(name)
    return value.reasons if isinstance(value, Unknown) else ()
