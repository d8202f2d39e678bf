"""Linting over the cores of a machine, with the results in the order of the files."""

from __future__ import annotations

import argparse
import pickle
import signal
import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from itertools import chain, islice
from multiprocessing import get_context

from ..records import replace
from .attempts import Attempt, attempt
from .loading import Loaded
from .options import Configured
from .portable import portable

_AT_ONCE = 4
"""Files handed to a process together: few enough that one slow file does not hold up many."""

_AHEAD = 8
"""Such handfuls that wait for each process: enough to keep it busy, few enough that a stream is not held at once."""


def attempts(
    files: Iterable[Loaded], arguments: argparse.Namespace, linted: Container[str], *, fixes: bool, jobs: int
) -> Iterator[Attempt]:
    """What :func:`sglint.cli.attempts.attempt` answers for each file, in order, without what only this process can use.

    When a process is killed (as by a system that runs out of memory) the rest is linted here.
    """
    # Elsewhere than on Linux, forking a process that has used system libraries is not safe.
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    configured = Configured(arguments)
    handfuls = _handfuls(files)
    unanswered: deque[list[Loaded]] = deque()
    futures: deque[Future[bytes | None]] = deque()

    def answered() -> Iterator[Attempt]:
        answer = futures.popleft().result()
        handful = unanswered.popleft()
        if answer is not None:
            yield from pickle.loads(answer)
        else:
            yield from (attempt(found, configured, linted, fixes=fixes) for found in handful)

    # Once here instead of once in each process.
    import_module("..lint", __package__)
    sys.stdout.flush()
    with ProcessPoolExecutor(jobs, context, _begin, (arguments, linted, fixes)) as pool:
        try:
            for handful in handfuls:
                unanswered.append(handful)
                futures.append(pool.submit(_attempts, [replace(found, data=b"") for found in handful]))
                if len(futures) > jobs * _AHEAD:
                    yield from answered()
            while futures:
                yield from answered()
        except BrokenProcessPool:
            pass
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    for handful in chain(unanswered, handfuls):
        for found in handful:
            yield attempt(found, configured, linted, fixes=fixes)


def _handfuls(files: Iterable[Loaded]) -> Iterator[list[Loaded]]:
    files = iter(files)
    while handful := list(islice(files, _AT_ONCE)):
        yield handful


class _Given:
    """What each file of a process is linted with."""

    configured: Configured
    linted: Container[str] = frozenset()
    fixes = False


def _begin(arguments: argparse.Namespace, linted: Container[str], fixes: bool) -> None:
    # The parent ends on Ctrl-C and takes these along; they have nothing to say about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Given.configured = Configured(arguments)
    _Given.linted = linted
    _Given.fixes = fixes


def _attempts(handful: Iterable[Loaded]) -> bytes | None:
    """The answers as bytes; None where one cannot leave the process, so that they are found again in the other."""
    answers = [attempt(found, _Given.configured, _Given.linted, fixes=_Given.fixes) for found in handful]
    try:
        return pickle.dumps([light(answer) for answer in answers])
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def light(answer: Attempt) -> Attempt:
    """The answer with a report that can leave the process."""
    return answer if isinstance(answer.report, str) else replace(answer, report=portable(answer.report))
