"""Findings for people: grouped by launch, each with its source lines, and a summary. One-based lines and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from ..launch.model import Evidence
from ..patterns import lazy
from ..rules.findings import SEVERITIES, Finding, Fix, Judged, Report, Verdict
from ..text import Document
from .columns import printable
from .effects import effect_line
from .excerpt import Mark, excerpt
from .run import Lines, Run
from .style import Style, wrapped

STRIKES = {
    "parse": "by the argument parser",
    "arguments": "while the arguments are checked",
    "model-load": "while the model is loaded",
    "pool-init": "while the memory pools are built, after the weights are loaded",
    "backend": "while the attention backends are set up",
    "runtime": "while it serves",
}
"""When a stage's refusals strike, to go after a verb."""

_DECIDES = lazy(r" \(decides [^()]*\)$")
"""Which rules a need decides is told at the finding."""

_STATUS = {"accepted": "good", "refused": "error", "unknown": "info"}
SAFETY = {
    "safe": "safe",
    "changes-behaviour": "changes what the server does",
    "display-only": "to be done by hand",
}


Detail = Literal["places", "numbers", "all"]
"""What stands below a finding's source lines: nothing, when it strikes and with which numbers, or the whole story.

Numbers are those of the first refusal: what strikes behind it will be looked at again once that is mended.
"""

_MOST_NEEDS = 3
"""What would decide most, at the end of a report; each finding has all of its own."""


def render(run: Run, style: Style, detail: Detail = "numbers") -> Iterator[str]:
    """Lines of the whole report."""
    for report in run.reports:
        yield from render_report(report, run.lines(report), style, detail)
    yield from _skipped(run)
    yield summary(run, style)
    yield from _needs(run, style)
    rules = dict.fromkeys(finding.code for finding in run.findings())
    if rules and detail != "all":
        yield style.paint(f"`sglint explain {next(iter(rules))}` tells more about a rule", "faint")


def render_concise(run: Run) -> Iterator[str]:
    """``path:line:column: severity[CODE] message``, a line a finding, for editors, matchers and ``grep``."""
    for report in run.reports:
        lines = run.lines(report)
        for finding in report.findings:
            index = lines.of(finding.path)
            position = (0, 0) if index is None else index.position(finding.span.start, "utf-32")
            place = address(finding.path, position)
            yield f"{place}: {finding.severity}[{finding.code}] {printable(finding.message)}"
    yield from (f"{printable(item.path)}:1:1: skipped: {item.reason}" for item in run.skipped)


def render_report(report: Report, lines: Lines, style: Style, detail: Detail) -> Iterator[str]:
    """Lines for one document: its own problems, then launch by launch. Ends with an empty line unless empty."""
    for finding in report.findings:
        if finding.launch is None:
            yield from _finding(finding, lines, style, detail)
            yield ""
    for number, judged in enumerate(report.judged):
        findings = [finding for finding in report.findings if finding.launch == number]
        yield from launch_heading(report.document, judged, style)
        for finding in findings:
            yield ""
            yield from _finding(finding, lines, style, detail)
        yield ""


def launch_heading(document: Document, judged: Judged, style: Style) -> Iterator[str]:
    """Two lines: where and what is started, and what will become of it."""
    place = address(document.path, document.lines.position(judged.launch.span.start, "utf-32"))
    yield style.paint(f"{place}: {describe_launch(judged)}", "strong")
    yield from verdict_lines(judged.verdict, style)


def verdict_lines(verdict: Verdict, style: Style) -> Iterator[str]:
    """One sentence that begins with the status, wrapped and indented."""
    status, rest = _verdict_words(verdict)
    first, *more = wrapped(printable(status + rest), style.width, "  ")
    yield f"  {style.paint(status, _STATUS[verdict.status])}{first[2 + len(status) :]}"
    yield from more


def describe_launch(judged: Judged) -> str:
    """``launch_server of openai/gpt-oss-120b, SGLang 0.5.18 (image tag), 1 x h200 (node label)``."""
    launcher = judged.launch.launcher if judged.launch.launcher != "none" else "SGLang server"
    model = f" of {printable(str(judged.model.value))}" if judged.model and judged.model.value else ""
    parts = [f"{launcher}{model}", f"SGLang {judged.release.value} ({judged.release.source})"]
    hardware = _hardware(judged.gpu, judged.gpu_count)
    return ", ".join([*parts, hardware] if hardware else parts)


def _verdict_words(verdict: Verdict) -> tuple[str, str]:
    """The status, and what is to be said about it."""
    if verdict.status == "accepted":
        return "accepted", ": nothing refuses it up to and including the memory pools"
    if verdict.status == "unknown":
        return "not decided", f": it depends on {'; '.join(verdict.needs)}" if verdict.needs else ""
    when = f" {STRIKES[verdict.stage]}" if verdict.stage in STRIKES else ""
    return "refused", when + (f" ({verdict.code})" if verdict.code else "")


def summary(run: Run, style: Style) -> str:
    """``1 error, 2 hints in 3 launches (812 files read); 4 rules could not be decided``."""
    counts = run.counts()
    worst = next((severity for severity in SEVERITIES if counts[severity]), None)
    found = ", ".join(plural(counts[severity], severity) for severity in SEVERITIES if counts[severity])
    launches = sum(len(report.judged) for report in run.reports)
    text = style.paint(found or "no findings", worst or "good")
    text += f" in {plural(launches, 'launch', 'launches')} ({plural(run.seen, run.unit)} read"
    text += f", {run.copies:,} of them copies" if run.copies else ""
    text += f", {len(run.skipped)} skipped)" if run.skipped else ")"
    if run.abstained:
        text += f"; {plural(run.abstained, 'rule')} could not be decided"
    if run.known:
        text += f"; {plural(run.known, 'known finding')} of the baseline not shown"
    if run.gone:
        text += f"; {plural(run.gone, 'finding')} of the baseline gone, so write it anew"
    return text


def _needs(run: Run, style: Style) -> Iterator[str]:
    """What would decide the rules that could not be decided, what the most launches lack first."""
    lacking: dict[str, int] = {}
    for report in run.reports:
        for number, judged in enumerate(report.judged):
            own = [need for finding in report.findings if finding.launch == number for need in finding.needs]
            for need in dict.fromkeys(_DECIDES.sub("", need) for need in (*judged.verdict.needs, *own)):
                lacking[need] = lacking.get(need, 0) + 1
    for need, count in sorted(lacking.items(), key=lambda item: -item[1])[:_MOST_NEEDS]:
        yield from _bullet(printable(f"{plural(count, 'launch lacks', 'launches lack')} {need}"), style, "=")
    if len(lacking) > _MOST_NEEDS:
        yield from _bullet(f"and {len(lacking) - _MOST_NEEDS} more, each at its launch", style, "=")


def _finding(finding: Finding, lines: Lines, style: Style, detail: Detail) -> Iterator[str]:
    title = style.paint(f"{finding.severity}[{finding.code}]", finding.severity)
    yield f"{title} {style.paint(finding.name, 'strong')}"
    yield from wrapped(printable(finding.message), style.width, "  ")
    yield from _sources(finding, lines, style)
    for note in _notes(finding, detail):
        yield from _bullet(note, style, "=")
    for fix in finding.fixes:
        yield from _fix(fix, style, effect=detail == "all" or (detail == "numbers" and not finding.behind))


def _sources(finding: Finding, lines: Lines, style: Style) -> Iterator[str]:
    """The excerpt of the finding's own file, then those of other files it points into."""
    marks: dict[str, list[Mark]] = {finding.path: [Mark(finding.span, finding.severity, primary=True)]}
    for related in finding.related:
        mark = Mark(related.place.span, "related", printable(related.message))
        marks.setdefault(related.place.path or finding.path, []).append(mark)
    for path, wanted in marks.items():
        index = lines.of(path)
        if index is None:
            yield f"  {style.paint('-->', 'gutter')} {printable(path)}"
            continue
        place = address(path, index.position(wanted[0].span.start, "utf-32"))
        yield f"  {style.paint('-->', 'gutter')} {place}"
        if index.text:
            yield from (f"  {line}" for line in excerpt(index, wanted, style))


def _notes(finding: Finding, detail: Detail) -> Iterator[str]:
    if finding.stage and detail != "places":
        when = STRIKES.get(finding.stage)
        kept = f", in releases {finding.releases}" if finding.releases else ""
        check = f"; upstream check {finding.check}" if finding.check else ""
        if when:
            yield f"strikes {'in' + when.removeprefix('by') if finding.stage == 'parse' else when}{kept}{check}"
    if finding.behind:
        yield f"shown although {finding.behind} strikes first"
    told = {"places": (), "numbers": () if finding.behind else finding.arithmetic, "all": finding.explanation}[detail]
    yield from (printable(line) for line in told)
    for need in finding.needs:
        yield f"needed: {printable(need)}"


def _fix(fix: Fix, style: Style, *, effect: bool) -> Iterator[str]:
    label = f"fix ({SAFETY[fix.safety]})"
    why = f": {fix.reason}" if fix.reason else ""
    title = printable(f": {fix.title}{why}")
    yield from _bullet(title, style, "=", style.paint(label, "good"), len(label))
    told = effect_line(fix.effect) if effect else ""
    if told:
        yield from _bullet(printable(told), style, " ")


def _bullet(text: str, style: Style, sign: str, label: str = "", label_width: int = 0) -> Iterator[str]:
    """``text`` wrapped behind a sign and a label, whose colours take no columns."""
    first, *rest = wrapped("x" * label_width + text, style.width, "    ")
    yield f"  {style.paint(sign, 'gutter')} {label}{first[4 + label_width :]}"
    yield from rest


def _skipped(run: Run) -> Iterable[str]:
    lines = [f"skipped {printable(item.path)}: {item.reason}" for item in run.skipped]
    return [*lines, ""] if lines else ()


def _hardware(gpu: Evidence | None, count: Evidence | None) -> str:
    if gpu is None:
        return f"{plural(count.value, 'GPU')} ({count.source})" if count else ""
    number = f"{count.value} x " if count else ""
    return f"{number}{gpu.value} ({gpu.source})"


def address(path: str, position: tuple[int, int]) -> str:
    return f"{printable(path)}:{position[0] + 1}:{position[1] + 1}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 file``, ``1,024 files``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
