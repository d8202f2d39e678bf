"""Linting over the cores of a machine, with the results in the order of the files."""

from __future__ import annotations

import argparse
import pickle
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from ..launch.model import Launch, Word
from ..launch.options import Parsed
from ..records import replace
from ..rules.findings import Judged, Report
from .linting import attempt
from .loading import Loaded
from .options import Configured

_AT_ONCE = 4
"""Files handed to a process together: few enough that one slow file does not hold up many."""


def attempts(
    files: Sequence[Loaded], arguments: argparse.Namespace, linted: frozenset[str], *, fixes: bool, jobs: int
) -> Iterator[Report | str]:
    """What :func:`sglint.cli.linting.attempt` answers for each file, in order, without what only this process can use.

    When a process is killed (as by a system that runs out of memory) the rest is linted here.
    """
    # Elsewhere than on Linux, forking a process that has used system libraries is not safe.
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    configured = Configured(arguments)
    done = 0
    sys.stdout.flush()
    with ProcessPoolExecutor(jobs, context, _begin, (arguments, linted, fixes)) as pool:
        try:
            for found, answer in zip(files, pool.map(_attempt, _light(files), chunksize=_AT_ONCE), strict=True):
                done += 1
                yield attempt(found, configured, linted, fixes=fixes) if answer is None else pickle.loads(answer)
        except BrokenProcessPool:
            pool.shutdown(wait=False, cancel_futures=True)
    for found in files[done:]:
        yield attempt(found, configured, linted, fixes=fixes)


def _light(files: Iterable[Loaded]) -> Iterator[Loaded]:
    """Files without the bytes that only writing them back needs."""
    return (replace(found, data=b"") for found in files)


class _Given:
    """What each file of a process is linted with."""

    configured: Configured
    linted: frozenset[str] = frozenset()
    fixes = False


def _begin(arguments: argparse.Namespace, linted: frozenset[str], fixes: bool) -> None:
    # The parent ends on Ctrl-C and takes these along; they have nothing to say about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Given.configured = Configured(arguments)
    _Given.linted = linted
    _Given.fixes = fixes


def _attempt(found: Loaded) -> bytes | None:
    """The answer as bytes; None for one that cannot leave the process, so that it is found again in the other."""
    answer = attempt(found, _Given.configured, _Given.linted, fixes=_Given.fixes)
    try:
        return pickle.dumps(answer if isinstance(answer, str) else portable(answer))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def portable(report: Report) -> Report:
    """The report with what is rendered of it, and without the ways back into parse trees and facts."""
    return replace(report, document=replace(report.document), judged=tuple(map(_judged, report.judged)))


def _judged(judged: Judged) -> Judged:
    return Judged(
        launch=_launch(judged.launch),
        parsed=Parsed(judged.parsed.release, ()),
        release=judged.release,
        gpu=judged.gpu,
        gpu_count=judged.gpu_count,
        model=judged.model,
        draft=judged.draft,
        verdict=judged.verdict,
        traits=judged.traits,
        model_facts=judged.model_facts,
    )


def _launch(launch: Launch) -> Launch:
    return Launch(
        host=launch.host,
        launcher=launch.launcher,
        span=launch.span,
        launcher_span=launch.launcher_span,
        words=tuple(Word(word.text, word.span, path=word.path) for word in launch.words),
        editor=_NoEditor(),
        role=launch.role,
        container=launch.container,
        structure=launch.structure,
    )


class _NoEditor:
    """Fixes were tried where the launch was read; nothing is edited here."""

    def edits(self, launch: object, changes: object) -> tuple[()]:
        return ()
