"""Rule files to a rule set, through one bundle.

A wheel carries the bundle, made when it was built. In a checkout the rule files themselves are the source: they
are compiled when one of them changed (names, sizes and times are the key) and the result is kept in the user's
cache folder; where that cannot be written, the rules are compiled anew each time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalogue.release import ReleaseRange
from ..data import rules_dir
from ..text import Span
from .model import Case, Condition, FixTemplate, Rule, RuleSet

if TYPE_CHECKING:
    from .source import RuleError

BUNDLE = "bundle.json"
EXAMPLES = "examples.json"
FORMAT = 2
"""Raise with every change of what bundles hold; a bundle of another format is made anew."""


@lru_cache(maxsize=1)
def load() -> RuleSet:
    """The rules of this installation. Raises FileNotFoundError when it has none."""
    return load_from(rules_dir(), cache_dir())


def load_from(folder: Path, cache: Path | None) -> RuleSet:
    """The rules of ``folder``: its bundle, or its files compiled with ``cache`` as memory."""
    if (folder / BUNDLE).is_file():
        bundle = _read(folder / BUNDLE)
        if bundle is not None:
            return RuleSet(rules_from(bundle["rules"]), lambda: (_read(folder / EXAMPLES) or {}).get("examples", {}))
    files = rule_files(folder)
    key = _key(files)
    if cache is not None:
        cached = _read(cache / BUNDLE)
        if cached is not None and cached["key"] == key:
            return RuleSet(rules_from(cached["rules"]), lambda: compile_bundle(folder, files)[1])
    bundle, examples, broken = compile_bundle(folder, files)
    bundle["key"] = key
    if cache is not None and not broken:
        _write(cache / BUNDLE, bundle)
    return RuleSet(rules_from(bundle["rules"]), lambda: examples, tuple(map(str, broken)))


def cache_dir() -> Path | None:
    """Folder of the compiled rules of checkouts; None where the user has no home."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base) / "sglint" if base else Path.home() / ".cache" / "sglint"
    except RuntimeError:
        return None


def rule_files(folder: Path) -> tuple[Path, ...]:
    """All rule files, in order of their names."""
    return tuple(sorted(folder.glob("*/SGL*.toml")))


def compile_bundle(folder: Path, files: Iterable[Path]) -> tuple[dict[str, Any], dict[str, Any], tuple[RuleError, ...]]:
    """(bundle, examples by code, broken files); the first two are JSON-like and leave broken files out."""
    from .source import RuleError, compile_rule

    rules: list[dict[str, Any]] = []
    examples: dict[str, Any] = {}
    broken: list[RuleError] = []
    for file in files:
        source = file.relative_to(folder).as_posix()
        try:
            rule, its_examples = compile_rule(file.read_text(encoding="utf-8"), source)
            _check_name(rule, file, examples)
        except RuleError as error:
            broken.append(error)
            continue
        except (OSError, UnicodeDecodeError):
            broken.append(RuleError(source, "", Span(0, 0), "cannot be read as UTF-8 text"))
            continue
        rules.append(rule)
        examples[rule["code"]] = its_examples
    return {"format": FORMAT, "rules": rules}, examples, tuple(broken)


def write_bundle(folder: Path, target: Path) -> tuple[Path, Path]:
    """Compile the rules of ``folder`` into ``target`` for a wheel; returns the bundle and the examples file.

    Raises :class:`sglint.rules.source.RuleError` for the first broken rule file.
    """
    bundle, examples, broken = compile_bundle(folder, rule_files(folder))
    if broken:
        raise broken[0]
    target.mkdir(parents=True, exist_ok=True)
    paths = (target / BUNDLE, target / EXAMPLES)
    for path, data in zip(paths, (bundle, {"format": FORMAT, "examples": examples}), strict=True):
        path.write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
    return paths


def _check_name(rule: dict[str, Any], file: Path, taken: Container[str]) -> None:
    from .source import RuleError

    if rule["code"] in taken:
        raise RuleError(rule["source"], "", Span(0, 0), f"the code {rule['code']} is taken by another rule file")
    if file.stem != f"{rule['code']}-{rule['name']}":
        raise RuleError(rule["source"], "", Span(0, 0), f"name the file {rule['code']}-{rule['name']}.toml")


def _key(files: tuple[Path, ...]) -> list[Any]:
    states = [(str(file), file.stat()) for file in files]
    return [[name, state.st_mtime_ns, state.st_size] for name, state in states]


def _read(path: Path) -> dict[str, Any] | None:
    """A bundle of our format; None for anything else, so that a torn or old cache is just made anew."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and data.get("format") == FORMAT else None


def _write(path: Path, bundle: dict[str, Any]) -> None:
    """Atomically, so that two runs at once never read half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}")
        scratch.write_text(json.dumps(bundle, separators=(",", ":")), encoding="utf-8")
        scratch.replace(path)
    except OSError:
        return


def rules_from(data: Iterable[dict[str, Any]]) -> tuple[Rule, ...]:
    """Rules of the plain data of a bundle."""
    return tuple(_rule(raw) for raw in data)


def _rule(raw: dict[str, Any]) -> Rule:
    return Rule(
        code=raw["code"],
        name=raw["name"],
        topic=raw["topic"],
        severity=raw["severity"],
        summary=raw["summary"],
        message=raw["message"],
        stage=raw.get("stage"),
        source=raw["source"],
        cases=tuple(_case(case, raw) for case in raw["case"]),
        problem=raw.get("problem"),
        at=tuple(raw.get("at", ())),
        related=tuple((flag, message) for flag, message in raw.get("related", ())),
        fixes=tuple(_fix(fix) for fix in raw["fix"]),
        explanation=raw["explanation"],
        arithmetic=raw.get("arithmetic", False),
    )


def _case(case: dict[str, Any], rule: dict[str, Any]) -> Case:
    return Case(
        releases=ReleaseRange.parse(case["releases"]),
        order=case["order"],
        when=Condition(case["when"]),
        severity=case.get("severity", rule["severity"]),
        stage=case.get("stage", rule.get("stage")),
        message=case.get("message", rule["message"]),
        check=case.get("check", rule.get("check")),
        head=case.get("head"),
        evidence=tuple(case.get("evidence", ())),
    )


def _fix(raw: dict[str, Any]) -> FixTemplate:
    return FixTemplate(
        title=raw["title"],
        safety=raw["safety"],
        remove=tuple(raw.get("remove", ())),
        remove_matching=tuple(raw.get("remove_matching", ())),
        set=raw.get("set", {}),
        release=raw.get("release"),
        candidates=raw.get("candidates"),
        when=Condition(raw["when"]) if "when" in raw else None,
        reason=raw.get("reason"),
    )
