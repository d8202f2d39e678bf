"""Rules of the user's own: rule files in folders that the configuration names, beside the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..records import dataclass
from .bundle import compile_bundle, load, rules_from
from .model import RuleSet


@dataclass(frozen=True)
class OwnRules:
    """The shipped rules with the user's own; ``mistakes`` of the latter begin with path, line and column."""

    rules: RuleSet
    mistakes: tuple[str, ...]


def load_with(folders: tuple[str, ...]) -> OwnRules:
    """Shipped rules and those of ``folders``; files are compiled again when one of them changed."""
    states = []
    for folder in folders:
        for file in _files(Path(folder)):
            state = file.stat()
            states.append((str(file), state.st_mtime_ns, state.st_size))
    return _loaded(folders, tuple(states))


@lru_cache(maxsize=8)
def _loaded(folders: tuple[str, ...], states: tuple[tuple[str, int, int], ...]) -> OwnRules:
    shipped = load()
    taken = {rule.code: rule.source for rule in shipped.rules}
    rules = list(shipped.rules)
    examples: dict[str, list[dict[str, Any]]] = {}
    mistakes: list[str] = []
    for folder in map(Path, folders):
        if not folder.is_dir():
            mistakes.append(f"{folder}: there is no such folder")
            continue
        bundle, its_examples, broken = compile_bundle(folder, _files(folder))
        mistakes += [str(folder / str(error)) for error in broken]
        for raw in bundle["rules"]:
            code, path = raw["code"], str(folder / raw["source"])
            if code in taken:
                mistakes.append(f"{path}: the code {code} is taken by {taken[code]}")
                continue
            taken[code] = path
            rules += rules_from([{**raw, "source": path}])
            examples[code] = its_examples[code]
    return OwnRules(RuleSet(tuple(rules), lambda: _merged(shipped.examples, examples), shipped.broken), tuple(mistakes))


def _merged(shipped: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**shipped, **own}


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted((*folder.glob("*.toml"), *folder.glob("*/*.toml"))))
