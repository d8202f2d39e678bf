"""Plans of command lines, for the tests of this folder."""

from __future__ import annotations

from sglint import catalogue
from sglint.facts import Facts
from sglint.launch.argv import parse, words_of
from sglint.memory import Plan, plan
from sglint.models import hardware, registry
from sglint.resolution import facts_of

UNIFIED = "--attention-backend triton --enable-unified-memory"
EAGLE3 = "--speculative-algorithm EAGLE3 --speculative-draft-model-path draft"
DSPARK = "--speculative-algorithm DSPARK --speculative-draft-model-path draft"


def facts_for(
    release: str,
    options: str,
    *,
    model: str = "openai/gpt-oss-120b",
    draft: str | None = None,
    gpu: str | None = "h200",
) -> Facts:
    words = ["--model-path", model, *options.split()]
    parsed = parse(words_of(words), catalogue.load(release))
    drafted = registry.find(draft) if draft else None
    return facts_of(parsed, registry.find(model), drafted, hardware.find(gpu) if gpu else None, 8, {})


def plan_of(
    release: str,
    options: str,
    *,
    model: str = "openai/gpt-oss-120b",
    draft: str | None = None,
    gpu: str | None = "h200",
    rest: int | None = None,
) -> Plan:
    return plan(facts_for(release, options, model=model, draft=draft, gpu=gpu), rest)
