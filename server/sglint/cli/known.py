"""Leaving out of a run what its baseline knows."""

from __future__ import annotations

from pathlib import Path

from ..records import replace
from ..report import baseline
from ..report.identity import Identity
from .baseline import seen_from
from .discovery import reason_of
from .errors import UsageError
from .linting import Outcome


def without_known(outcome: Outcome, named: str | None) -> Outcome:
    """The outcome beyond the baseline ``named`` on the command line, else beyond those of the configurations.

    Raises UsageError for a baseline that cannot be used.
    """
    run = outcome.run
    by_file: dict[str | None, list[int]] = {}
    for number, report in enumerate(run.reports):
        file = named or outcome.configured.for_path(report.document.path).baseline
        by_file.setdefault(file, []).append(number)
    reports = list(run.reports)
    known = gone = 0
    for file, numbers in by_file.items():
        if file is None:
            continue
        own = [reports[number] for number in numbers]
        left = baseline.beyond(_read(Path(file)), own, run.lines, seen_from(Path(file)))
        known, gone = known + left.known, gone + left.gone
        for number, report in zip(numbers, left.reports, strict=True):
            reports[number] = report
    return replace(outcome, run=replace(run, reports=tuple(reports), known=known, gone=gone))


def _read(file: Path) -> dict[Identity, int]:
    try:
        return baseline.parse(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = reason_of(error)
    except UnicodeDecodeError:
        reason = "not UTF-8"
    except baseline.NoBaseline as error:
        reason = f"no baseline: {error}"
    raise UsageError(f"{file}: {reason}; `sglint baseline` writes one") from None
