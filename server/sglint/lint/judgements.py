"""What a launch is judged to do, kept by all that decides it: the same launch at another place needs no new judgement.

An editor sends a text with every key, and a fix is tried on a copy of the text; most launches in there say what they
said before. Their words are read anew, for their places, but facts and rules know nothing of places.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from .. import catalogue
from ..facts import Facts
from ..launch.model import Word
from ..launch.options import Option, Parsed, ParseProblem
from ..models import ModelFacts
from ..models.hardware import Gpu
from ..records import dataclass, replace
from ..resolution import facts_of
from ..rules.judge import Judgement, judge
from ..rules.model import RuleSet
from ..text import Span
from .memory_facts import further_facts

MOST_KEPT = 128
"""Judgements kept, the latest ones; one takes some forty kilobytes."""


@dataclass(frozen=True)
class Inputs:
    """All that facts and rules see of a launch; ``memory_limit`` in bytes of host memory, ``gpu_count`` per node."""

    rules: RuleSet
    parsed: Parsed
    model: ModelFacts | None
    draft: ModelFacts | None
    gpu: Gpu | None
    gpu_count: int | None
    environment: Mapping[str, str | None]
    memory_limit: int | None

    def key(self) -> Hashable:
        """Equal for inputs with the same answers. Models and rules are kept once each, so they are what they are."""
        parsed = self.parsed
        return (
            catalogue.load(parsed.release),
            tuple(map(_of_option, parsed.options)),
            tuple(hole.text for hole in parsed.holes),
            tuple(map(_of_problem, parsed.problems)),
            *map(id, (self.rules, self.model, self.draft, self.gpu)),
            self.gpu_count,
            tuple(self.environment.items()),
            self.memory_limit,
        )


_NOWHERE = Span(0, 0)
_kept: dict[Hashable, tuple[Inputs, Facts, Judgement]] = {}


def judgement_of(inputs: Inputs) -> tuple[Facts, Judgement]:
    """The facts of a launch and what the rules make of them."""
    if any(model is not None and model.folder is not None for model in (inputs.model, inputs.draft)):
        # What a folder holds is read for the facts, and may be other files by now.
        return _made(inputs)
    key = inputs.key()
    if key in _kept:
        kept = _kept.pop(key)
    else:
        while len(_kept) >= MOST_KEPT:
            del _kept[next(iter(_kept))]
        bare = replace(inputs, parsed=_without_places(inputs.parsed))
        # The inputs are kept for the identities in the key.
        kept = (bare, *_made(bare))
    _kept[key] = kept
    return kept[1:]


def _made(inputs: Inputs) -> tuple[Facts, Judgement]:
    facts = facts_of(
        inputs.parsed,
        inputs.model,
        inputs.draft,
        inputs.gpu,
        inputs.gpu_count,
        inputs.environment,
        further_facts(inputs.memory_limit),
    )
    return facts, judge(inputs.rules, inputs.parsed, facts)


def _without_places(parsed: Parsed) -> Parsed:
    """The same for facts and rules; words would keep the whole tree of a text that is long gone."""
    return Parsed(
        parsed.release,
        tuple(replace(option, words=(), flag_span=_NOWHERE, value_span=None) for option in parsed.options),
        (),
        tuple(Word(hole.text, _NOWHERE) for hole in parsed.holes),
        tuple(
            replace(problem, span=_NOWHERE, word=problem.word and Word(problem.word.known_prefix, _NOWHERE))
            for problem in parsed.problems
        ),
    )


def _of_option(option: Option) -> tuple[Any, ...]:
    # Values may be lists and mappings, which no key can hold.
    value = repr(option.value)
    return option.written, option.dest, option.raw, value, option.known, option.presence, option.implied, option.merged


def _of_problem(problem: ParseProblem) -> tuple[Any, ...]:
    word = problem.word.known_prefix if problem.word is not None else None
    return problem.kind, problem.fatal, problem.head, word
