"""The verdict on a command line that stands in no file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import catalogue, models, rules
from ..facts import Facts
from ..launch import argv
from ..launch.options import Parsed
from ..models import ModelFacts, registry
from ..models import hardware as gpus
from ..models.files import cached
from ..records import replace
from ..resolution import facts_of
from ..rules.judge import Judgement, judge
from .launches import KnownFacts, told
from .memory_facts import MEMORY_FACTS


def verdict_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """Will a command line start?

    ``case`` has ``argv`` (the server's own words) and, all optional, ``id``, ``release``, ``gpu`` (``h200``),
    ``gpus``, ``model_config`` and ``draft_model_config`` (a path or the configuration itself), ``env``. The answer
    has the keys of contracts.md, "JSON of verdict". Raises ValueError for a case that cannot be read.
    """
    parsed, facts, judgement = judged(case, advice=False)
    return {
        "id": case.get("id"),
        "release": parsed.release,
        **judgement.verdict.told(),
        "resolved": {name: _plain(value) for name, value in KnownFacts(facts).pairs()},
    }


def judged(case: Mapping[str, Any], *, advice: bool = True) -> tuple[Parsed, Facts, Judgement]:
    """The same with everything behind it; without ``advice`` only errors are looked for. Raises ValueError."""
    release = catalogue.nearest(case.get("release") or catalogue.releases()[-1])
    table = catalogue.load(release)
    parsed = told(argv.parse(argv.words_of(case["argv"]), table), table)
    config = case.get("model_config")
    if config is not None:
        parsed = _without_missing_model(parsed)
    model = _model(config, _value(parsed, "model_path"))
    draft = _model(case.get("draft_model_config"), _value(parsed, "speculative_draft_model_path"))
    facts = facts_of(parsed, model, draft, _gpu(case.get("gpu")), case.get("gpus"), case.get("env") or {}, MEMORY_FACTS)
    return parsed, facts, judge(rules.load(), parsed, facts, advice=advice)


def _without_missing_model(parsed: Parsed) -> Parsed:
    """With a configuration at hand, a command line without a model's name lacks nothing."""
    kept = [
        problem
        for problem in parsed.problems
        if problem.kind != "required" or problem.flag is None or problem.flag.dest != "model_path"
    ]
    return replace(parsed, problems=tuple(kept))


def _value(parsed: Parsed, dest: str) -> str | None:
    options = parsed.of(dest)
    return options[-1].raw[-1] if options and options[-1].raw else None


def _model(config: Any, name: str | None) -> ModelFacts | None:
    if isinstance(config, Mapping):
        return models.facts_from_config(dict(config), name)
    if isinstance(config, str):
        facts = _loaded(config, _changed(config))
        return replace(facts, name=name) if name else facts
    if name is None:
        return None
    found = registry.look_up(name)
    return found.facts if found else cached(name)


@lru_cache(maxsize=256)
def _loaded(path: str, changed: int) -> ModelFacts:
    return models.load(path)


def _changed(path: str) -> int:
    """Time of the last change; 0 where there is no such file, which loading then says."""
    try:
        file = Path(path)
        return (file / "config.json" if file.is_dir() else file).stat().st_mtime_ns
    except OSError:
        return 0


def _gpu(name: str | None) -> gpus.Gpu | None:
    if name is None:
        return None
    gpu = gpus.find(name)
    if gpu is None:
        raise ValueError(f"gpu {name!r} is not known; known are {', '.join(gpus.names())}")
    return gpu


def _plain(value: Any) -> Any:
    """Facts as JSON has them."""
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, _ROWS):
        return [_plain(member) for member in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    return str(value)


_SCALARS = (bool, int, float, str)
_ROWS = (tuple, list, set, frozenset)
