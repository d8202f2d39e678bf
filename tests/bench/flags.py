"""Catalogue and command-line parser: loading a release, and parsing a command line of 40 flags."""

from __future__ import annotations

from sglint import catalogue
from sglint.catalogue import store
from sglint.catalogue.load import FILE
from sglint.data import rules_dir
from sglint.launch.argv import parse, words_of

from .measure import call_cpu, table

RELEASE = "0.5.23"
FLAGS = 40


def forty_flags() -> list[str]:
    """A command line with 40 different flags, values from their choices."""
    words = ["--model-path", "m"]
    flags = [flag for flag in catalogue.load(RELEASE).flags if flag.action in ("store", "store_true")]
    for flag in flags[1:FLAGS]:
        sample = {"int": "8", "float": "0.5", "human_readable_int": "8k"}.get(flag.type, "{}")
        value = str(flag.choices[0]) if flag.choices else sample
        words += [flag.names[0]] if flag.nargs == 0 else [flag.names[0], value]
    return words


def main() -> None:
    text = (rules_dir() / FILE).read_text(encoding="utf-8")
    release = catalogue.load(RELEASE)
    words = words_of(forty_flags())
    fatal = [problem for problem in parse(words, release).problems if problem.fatal]
    if fatal:
        raise RuntimeError(f"the sample is refused: {fatal[0].head}")
    table(
        "flags",
        {
            f"load one release ({len(release.flags)} flags, aim 15 ms)": call_cpu(
                lambda: store.read(text, RELEASE), rounds=20
            ),
            f"parse {FLAGS} flags (aim 1 ms)": call_cpu(lambda: [parse(words, release) for _ in range(20)], rounds=20)
            / 20,
        },
    )
