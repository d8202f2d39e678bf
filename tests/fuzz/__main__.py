"""Mangled files for every host until the time is up: ``python -m tests.fuzz --minutes 10 [--host shell]``.

Prints the first text of each kind that makes a host fail or take too long; ends with 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from sglint import hosts
from sglint.text import Document, Sources

from ..hosts import test_fuzz_shell as shell
from ..hosts.extraction import cases
from ..hosts.mangling import check
from ..hosts.script_maker import make_script

SLOW_SECONDS = 2.0
"""CPU time after which reading one small file counts as a failure."""

YAML_MARKS = """ : - |- >- ' " | &a *a <<: { } [ ] , # $(X) {{ }} \\ --tp-size 😀 """.split()
YAML_PIECES = [*YAML_MARKS, "\n", "\t", "---\n", "    "]

PATHS = {"shell": "a.sh", "dockerfile": "Dockerfile", "systemd": "a.service", "yaml": "a.yaml"}
_SHELL = [*shell.SHELL_MARKS, *shell.SHARED]
PIECES: Mapping[str, Sequence[str]] = {
    "shell": _SHELL,
    "dockerfile": [*_SHELL, *shell.IMAGE_MARKS],
    "systemd": [*shell.SHARED, *shell.UNIT_MARKS],
    "yaml": YAML_PIECES,
}
TEXTS: Mapping[str, Callable[[random.Random], str]] = {
    "shell": lambda dice: make_script(dice.randrange(10**6)) if dice.random() < 0.5 else _case(dice, "shell", "slurm"),
    "dockerfile": lambda dice: _case(dice, "dockerfile"),
    "systemd": lambda dice: _case(dice, "systemd"),
    "yaml": lambda dice: _case(dice, "k8s-deployment", "k8s-pod", "lws", "rbg", "configmap", "compose"),
}


@cache
def _texts(*kinds: str) -> list[str]:
    return [case.text for case in cases(*kinds)]


def _case(dice: random.Random, *kinds: str) -> str:
    return dice.choice(_texts(*kinds))


def mangled(dice: random.Random, text: str, pieces: Sequence[str]) -> str:
    """The text after a few random replacements, copies and cuts."""
    for _ in range(dice.choice((1, 2, 3, 5, 8, 20))):
        start = dice.randint(0, len(text))
        end = min(len(text), start + dice.choice((0, 0, 1, 3, 12, 60)))
        more = (
            dice.choice(pieces)
            if dice.random() < 0.8
            else text[slice(*sorted(dice.choices(range(len(text) + 1), k=2)))]
        )
        text = text[:start] + more[:2_000] + text[end:]
    return text


def failure(language: str, text: str) -> str | None:
    """What is wrong with how a text is read."""
    started = time.process_time()
    try:
        check(hosts.read(Document(PATHS[language], text, language), Sources({"env.sh": text}.get)), text)
    except Exception as error:  # whatever it is, it is what we look for
        return f"{type(error).__name__}: {error}"
    took = time.process_time() - started
    return f"took {took:.1f} s" if took > SLOW_SECONDS else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--host", choices=sorted(PATHS), action="append")
    given = parser.parse_args()
    seed = random.randrange(10**9) if given.seed is None else given.seed
    dice = random.Random(seed)
    languages = given.host or sorted(PATHS)
    end = time.monotonic() + given.minutes * 60
    read = 0
    failures: dict[str, str] = {}
    while time.monotonic() < end:
        language = languages[read % len(languages)]
        text = mangled(dice, TEXTS[language](dice), PIECES[language])
        wrong = failure(language, text)
        read += 1
        if wrong is not None and wrong not in failures:
            failures[wrong] = text
            sys.stdout.write(f"{language}: {wrong}\n{text!r}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{read} texts read with seed {seed}, {len(failures)} kinds of failure\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
