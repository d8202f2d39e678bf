"""Small rule sets and launches for tests of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sglint.catalogue import Flag, FlagTable
from sglint.facts import Facts, Unknown
from sglint.launch import argv
from sglint.launch.model import Launch
from sglint.launch.options import Parsed
from sglint.rules.build import Subject
from sglint.rules.bundle import rules_from
from sglint.rules.model import RuleSet
from sglint.rules.places import Places
from sglint.rules.source import compile_rule
from sglint.text import Span

RELEASE = "0.5.18"
TABLE = FlagTable(
    RELEASE,
    (
        Flag(("--model-path", "--model"), "model_path"),
        Flag(("--alpha", "-a"), "alpha", type="int"),
        Flag(("--beta",), "beta", action="store_true", nargs=0),
        Flag(("--gamma",), "gamma", choices=("x", "y")),
    ),
)


class NoEditor:
    def edits(self, launch: Launch, changes: Sequence[Any]) -> tuple[Any, ...]:
        return ()


def rule(code: str, when: str, **keys: Any) -> str:
    """The text of a rule file with one case."""
    stage = keys.pop("stage", "arguments")
    order = keys.pop("order", 10)
    severity = keys.pop("severity", "error")
    lines = [
        f'code = "{code}"',
        f'name = "{keys.pop("name", "made-up")}"',
        f'severity = "{severity}"',
        *([f'stage = "{stage}"'] if stage else []),
        'summary = "s"',
        f'message = "{keys.pop("message", "m")}"',
        f'explanation = "{keys.pop("explanation", "e")}"',
        *(f"{key} = {value}" for key, value in keys.items() if key in ("at", "related", "arithmetic")),
        "[[case]]",
        f'releases = "{keys.pop("releases", "")}"',
        f"order = {order}",
        f"when = '''{when}'''",
        f'check = "CHECK-{code}"',
        'head = "upstream says"',
        'evidence = ["srt/a.py:Some.method"]',
    ]
    return "\n".join(lines)


def rule_set(*texts: str) -> RuleSet:
    return RuleSet(
        rules_from([compile_rule(text, f"topic/{number}.toml")[0] for number, text in enumerate(texts)]), dict
    )


def parsed(*words: str) -> Parsed:
    return argv.parse(argv.words_of(words), TABLE)


def facts(**values: Any) -> Facts:
    """Leaf facts ``args.NAME``; ``model__known`` stands for ``model.known``."""
    leaves = {name.replace("__", ".") if "__" in name else f"args.{name}": value for name, value in values.items()}
    return Facts({"release": RELEASE, **leaves}, {}, lambda name: None)


def unknown(*reasons: str) -> Unknown:
    return Unknown(reasons or ("what it is",))


def subject(rules: RuleSet, words: Sequence[str], space: Facts, **keys: Any) -> Subject:
    options = parsed(*words)
    launch = Launch("shell", "launch_server", Span(0, 100), None, argv.words_of(words), NoEditor())
    return Subject(launch, 0, "a.sh", options, space, Places(launch, options, TABLE, "a.sh"), rules, **keys)
