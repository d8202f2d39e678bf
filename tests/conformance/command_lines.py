"""Command lines for comparing our parser with a release's own: valid, misspelt, abbreviated, surplus, joined ..."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from sglint.catalogue import Flag, FlagTable

WORDS = ("auto", "x", "a b", "", "-", "8", "-1", "-0.5", "1e3", "0x10", "None", "true", "1k", "2.5k", "1.5Ki", "é")
JSONS = (
    "{}",
    '{"a": 1}',
    "[1, 2]",
    "{'a': 1}",
    '{"a": }',
    "{",
    "NaN",
    '{"decode": {"backend": "full"}}',
    '{"prefill": {"bs": [1, 2], "backend": "tc_piecewise"}}',
    '{"decode": {"nope": 1}}',
    '{"decode": 3}',
    '{"warmup": {}}',
    '{"lora_name": "a", "lora_path": "b"}',
    '{"lora_name": "a"}',
)


class CommandLines:
    """An endless, seeded source of command lines for one release. ``foreign`` are names of other releases."""

    def __init__(self, table: FlagTable, foreign: Sequence[str], seed: int) -> None:
        self.table = table
        self.random = random.Random(f"{table.release}/{seed}")
        self.flags = [flag for flag in table.flags if flag.action != "help"]
        self.foreign = list(foreign)
        self.names = [name for flag in self.flags for name in flag.names]

    def __next__(self) -> list[str]:
        dice = self.random
        words = ["--model-path", "m"] if dice.random() < 0.85 else []
        for _ in range(dice.randint(0, 7)):
            words += self._piece()
        if dice.random() < 0.1:
            dice.shuffle(words)
        return words

    def with_config(self) -> dict[str, Any]:
        """A command line with a ``--config`` file: ``{"argv": [...], "config": {...}}``."""
        config = dict(self._entry() for _ in range(self.random.randint(0, 4)))
        words = next(self)
        at = self.random.randint(0, len(words))
        return {"argv": [*words[:at], "--config", "@config.yaml", *words[at:]], "config": config}

    def _entry(self) -> tuple[str, Any]:
        flag = self.random.choice(self.flags)
        name = self._exact(flag)[2:] if self.random.random() < 0.8 else flag.dest
        texts = [self._value(flag, 0.97) for _ in range(self.random.randint(0, 2))]
        values: tuple[Any, ...] = (True, False, 3, 0.5, None, *texts[:1], {"a": 1})
        if flag.nargs == 0 and self.random.random() < 0.8:
            return name, self.random.random() < 0.7
        if flag.nargs in ("*", "+") and self.random.random() < 0.8:
            return name, texts
        return name, self.random.choice(values) if self.random.random() < 0.4 else self._value(flag, 0.97)

    def _piece(self) -> list[str]:
        kinds: list[tuple[float, Callable[[], list[str]]]] = [
            (0.72, lambda: self._option(0.98, self._exact)),
            (0.12, lambda: self._option(0.98, self._abbreviated)),
            (0.05, lambda: self._option(0.5, self._exact)),
            (0.03, self._misspelt),
            (0.02, self._of_another_release),
            (0.02, lambda: [self.random.choice(WORDS)]),
            (0.02, self._joined),
            (0.02, lambda: [self.random.choice(("--", "-x", "-tp", "--=3", "--no-", "-5", "-h1", "--x y"))]),
            (0.02, lambda: [self.random.choice(("-h", "--help", "--hel"))] if self.random.random() < 0.1 else []),
        ]
        weights, makers = zip(*kinds, strict=True)
        maker: Callable[[], list[str]] = self.random.choices(makers, weights)[0]
        return maker()

    def _exact(self, flag: Flag) -> str:
        return self.random.choice(flag.names)

    def _abbreviated(self, flag: Flag) -> str:
        name = self.random.choice(flag.names)
        shortest = 5 if self.random.random() < 0.3 else max(5, len(name) - 6)
        return name[: self.random.randint(min(shortest, len(name)), len(name))]

    def _misspelt(self) -> list[str]:
        name = self.random.choice(self.names)
        at = self.random.randrange(2, len(name))
        changed = self.random.choice(
            (name[:at] + name[at + 1 :], name.replace("-", "_")[2:], name[:at] + "q" + name[at:])
        )
        return [changed if changed.startswith("-") else "--" + changed, *(["8"] if self.random.random() < 0.5 else [])]

    def _of_another_release(self) -> list[str]:
        name = self.random.choice(self.foreign)
        return [name, *(["8"] if self.random.random() < 0.5 else [])]

    def _joined(self) -> list[str]:
        flag = self.random.choice(self.flags)
        return [f"{self._exact(flag)} {self._value(flag, 0.9)}"]

    def _option(self, valid: float, spell: Callable[[Flag], str]) -> list[str]:
        flag = self.random.choice(self.flags)
        name = spell(flag)
        good = self.random.random() < valid
        if flag.nargs == 0:
            surplus = self.random.choice(([f"{name}=true"], [name, "true"], [f"{name}="]))
            return [name] if good else surplus
        count = 1 if flag.nargs in (None, "?") else self.random.randint(1, 3)
        if not good and self.random.random() < 0.4:
            count = self.random.choice((0, 0, 2))
        values = [self._value(flag, 0.97 if good else 0.4) for _ in range(count)]
        if len(values) == 1 and self.random.random() < 0.35:
            return [f"{name}={values[0]}"]
        return [name, *values]

    def _value(self, flag: Flag, valid: float) -> str:
        dice = self.random
        if dice.random() > valid:
            return dice.choice(WORDS + JSONS)
        if flag.choices and dice.random() < 0.95:
            return str(dice.choice(flag.choices))
        if flag.type == "int":
            return str(dice.choice((0, 1, 2, 8, 64, 4096, -1)))
        if flag.type == "float":
            return str(dice.choice((0.5, 0.85, 1, -0.25, "1e-3")))
        if flag.type == "human_readable_int":
            return dice.choice(("8192", "8k", "1.5k", "4Ki", "1.5Mi", "2M", "9x"))
        if flag.type.startswith(("json", "parse_")):
            return dice.choice(JSONS)
        if flag.action in ("adapters", "custom"):
            return dice.choice(("a=b", "path/to", *JSONS))
        return dice.choice(("auto", "name/of-it", "10.0.0.1:5000", "x=y", "{}", "a b"))
