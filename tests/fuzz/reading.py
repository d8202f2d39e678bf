"""What must hold however files look: no fault of ours, places inside the text, little time."""

from __future__ import annotations

import signal
import time
import traceback

from sglint import hosts
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, Sources, language_of

from ..hosts.mangling import check
from .targets import Files

SLOW_SECONDS = 2.0
"""CPU time after which reading one small file counts as a failure."""

HANGING_SECONDS = 60.0


class TooLong(BaseException):
    """Reading does not end. No Exception, so that nothing on the way takes it for a fault of the text."""


def _too_long(signum: int, frame: object) -> None:
    raise TooLong


def failure(files: Files, *, judged: bool) -> str | None:
    """What is wrong with how ``files`` are read; ``judged``: lint them as well, with fixes.

    Reading that does not end is interrupted by an alarm of this process.
    """
    before = signal.signal(signal.SIGVTALRM, _too_long)
    try:
        return _failure(files, judged=judged)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _failure(files: Files, *, judged: bool) -> str | None:

    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(f"{folder}/")})

    for path, text in files.items():
        language = language_of(path)
        if language is None:
            continue
        document = Document(path, text, language)
        sources = Sources(files.get, names=names)
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGING_SECONDS)
        try:
            check(hosts.read(document, sources, ("start.sh",)), text)
            took = time.process_time() - started
            if judged:
                _lint(document, sources)
        except TooLong as error:
            return f"{path} hangs in {_place(error)}"
        except Exception as error:  # whatever it is, it is what we look for
            return f"{path}: {type(error).__name__} in {_place(error)}: {str(error)[:300]}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if took > SLOW_SECONDS:
            return f"{path} took {took:.0f} s"
    return None


def _lint(document: Document, sources: Sources) -> None:
    report = lint(document, Settings(), sources)
    assert [finding.message for finding in report.findings if finding.code == "SGL000"] == []
    for finding in report.findings:
        assert finding.path != document.path or 0 <= finding.span.start <= finding.span.end <= len(document.text)


def _place(error: BaseException) -> str:
    """The innermost place in SGLint or in the check itself."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/sglint/" in frame.filename]
    frames = frames or traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno} {frames[-1].name}"
