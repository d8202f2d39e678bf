"""Every check by release, with the answers of released code that met it, and why some have none.

    python -m tests.conformance.coverage [FILE ...]

Without files the kept vectors are counted and, where they are there, the shared ones. The exit code is the number of
rows without a vector and without a reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from sglint import catalogue, rules
from sglint.resolution.releases import FIRST_FOLLOWED

from . import verdicts

LATER = "strikes after the pools are built, which is as far as released code was run; its examples state it"
SHADOWED_V4 = "only DeepSeek-V4 is both, and no backend of it passes PM-BACKEND, which comes before"
NOT_MET = {
    "UM-SPEC-TOPK-DSPARK": "never met: the DSPARK handler sets the number of branches to 1 before",
    "UM-EAGLE-HOSTPOOL": "never met: the backup wants a decode server, and UM-PD-SPEC refuses those with EAGLE before",
    "UM-DCP-SWA": f"never met: {SHADOWED_V4}",
    "UM-MLA-SWA": f"never met: {SHADOWED_V4}",
    "UM-TRIPOOL-MLA": "never met: no architecture of these releases has windows, state and MLA",
    "UM-FA-LOCALATTN": LATER,
    "PM-GDN-MIS": LATER,
    "attn-inkling": LATER,
    "spec-draft-missing-eagle3": LATER,
    "par-gpu-count": "strikes when processes are started, which released code was not run for; its examples state it",
    "mem-swa-pool-small": "depends on free memory, which the machine of the vectors made up",
    "hicache-host-memory": "depends on the memory limit of a container, which released code was not run in",
}
"""Checks that no vector meets, and why."""


def rows() -> dict[tuple[str, str], list[catalogue.ReleaseRange]]:
    """(check, code) of every refusal that the rules state, with the releases that have it."""
    stated: dict[tuple[str, str], list[catalogue.ReleaseRange]] = {}
    for rule in rules.load().rules:
        for case in rule.cases:
            if case.severity == "error" and case.stage != "runtime":
                stated.setdefault((case.check or rule.code, rule.code), []).append(case.releases)
    return stated


def met(paths: list[Path]) -> dict[tuple[str, str, str], int]:
    """(code, check, release) to the number of vectors that were refused by it."""
    return verdicts.compare(verdicts.read(paths)).by_check


def table(counts: dict[tuple[str, str, str], int]) -> Iterator[str]:
    """A row a check: a number, ``-`` for a release without a vector, blank where the release has no such check."""
    releases = followed()
    yield f"{'check':34} rule   " + " ".join(f"{release.removeprefix('0.5.').split('.')[0]:>4}" for release in releases)
    for (check, code), ranges in sorted(rows().items(), key=lambda row: (row[0][1], row[0][0])):
        cells = []
        for release in releases:
            exists = any(bounds.holds(release) for bounds in ranges)
            count = counts.get((code, check, release), 0)
            cells.append(f"{count or '-' if exists or count else '':>4}")
        yield f"{check:34} {code} {' '.join(cells)} {NOT_MET.get(check, '')}".rstrip()


def followed() -> list[str]:
    """Releases whose checks are stated, oldest first."""
    known = catalogue.releases()
    return [release for release in known if catalogue.release_key(release) >= catalogue.release_key(FIRST_FOLLOWED)]


def unexplained(counts: dict[tuple[str, str, str], int]) -> list[str]:
    """Checks without a vector and without a reason; and reasons of checks that have vectors."""
    have = {check for _, check, _ in counts}
    stated = {check for check, _ in rows()}
    return sorted((stated - have) ^ set(NOT_MET))


def main(arguments: list[str]) -> int:
    paths = [Path(word) for word in arguments] or [*verdicts.kept(), *filter(Path.is_file, [verdicts.SHARED])]
    counts = met(paths)
    print("\n".join(table(counts)))
    left = unexplained(counts)
    print(f"{len(rows())} checks, {len(NOT_MET)} without a vector; without a reason: {', '.join(left) or 'none'}")
    return len(left)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
