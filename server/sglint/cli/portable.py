"""Reports that leave the process they were made in: for another process, or for a later run."""

from __future__ import annotations

from ..launch.model import Launch, Word
from ..launch.options import Parsed
from ..records import replace
from ..rules.findings import Judged, Report


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
        editor=NoEditor(),
        role=launch.role,
        container=launch.container,
        structure=launch.structure,
    )


class NoEditor:
    """Fixes were tried where the launch was read; nothing is edited here."""

    def edits(self, launch: object, changes: object) -> tuple[()]:
        return ()
