"""The memory map of launches as one SVG: the GPU as a bar, the unified arena enlarged, and the bar after each fix.

It stands alone and inside a page: styles hold below ``.sgm`` only, colours follow the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..records import dataclass
from .memory_map import TITLES, Kind, MemoryMap, Plan, Segment, memory_map
from .sizes import answers_text
from .style import wrapped
from .svg_arena import arena_height, draw_arena
from .svg_parts import STYLE, box, caption, fitted, gib, line, patterns, shown, text, text_width

WIDTH = 960
MARGIN = 24
BAR = WIDTH - 2 * MARGIN
HEIGHT = 46
FIX_HEIGHT = 26
_TEXT_COLUMNS = 132
_SWATCH = 14
_GAP = 26


@dataclass(frozen=True)
class Panel:
    """One launch: ``heading`` and ``place`` for people, its plan, and the plan after each fix by the fix's title."""

    heading: str
    place: str
    plan: Plan
    after: tuple[tuple[str, Plan], ...] = ()


def size_svg(panels: Sequence[Panel]) -> str:
    """A whole SVG document, ASCII only, with all launches one below the other."""
    drawn: list[str] = []
    y = float(MARGIN)
    for panel in panels:
        lines, y = _panel(panel, y)
        drawn += lines
        y += MARGIN
    if not panels:
        drawn.append(text(MARGIN, y + 12, "no launch found", "quiet"))
        y += 24
    height = int(y)
    title = panels[0].heading if len(panels) == 1 else f"GPU memory of {len(panels)} launches"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sgm" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="sgm-title sgm-desc">',
        f'<title id="sgm-title">{shown(title)}</title>',
        f'<desc id="sgm-desc">{shown(" ".join(_described(panel) for panel in panels))}</desc>',
        f"<style>{STYLE}</style>",
        *patterns(),
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
    ]
    document = "\n".join([*head, *drawn, "</svg>", ""])
    return document.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _panel(panel: Panel, y: float) -> tuple[list[str], float]:
    drawn = [
        text(MARGIN, y + 14, fitted(panel.heading, BAR, 15), "head"),
        text(MARGIN, y + 32, fitted(_subtitle(panel), BAR), "quiet"),
    ]
    y += 44
    found = memory_map(panel.plan)
    refusal = panel.plan.get("refusal")
    if refusal:
        drawn.append(text(MARGIN, y + 12, fitted(f"{_how(refusal)}: {refusal['text']}", BAR), "alarm"))
        y += 22
    if found is not None and found.gpu is not None:
        drawn.append(text(MARGIN, y + 12, f"The GPU ends at {gib(found.gpu)}: {_excess(found)}", "alarm"))
        y += 22
    if found is None:
        needs = panel.plan.get("needs") or ("the bytes for the pools",)
        return drawn + _paragraph(needs, y), y + 16 * len(_wrapped(needs))
    scale = max([found.total, *(after.total for _, plan in panel.after if (after := memory_map(plan)))])
    y += 16
    drawn += _bar(found, y, HEIGHT, scale, axis=True)
    y += HEIGHT + 26
    if found.arena is not None:
        drawn += draw_arena(found, MARGIN, y, BAR, scale)
        y += arena_height(found.arena)
    legend, y = _legend(found.segments, y)
    drawn += legend
    answers = [part for line in answers_text(panel.plan) for part in wrapped(line, _TEXT_COLUMNS, "")]
    drawn += [text(MARGIN, y + 12 + 16 * number, part, "quiet") for number, part in enumerate(answers)]
    y += 16 * len(answers) + (8 if answers else 0)
    for title, plan in panel.after:
        drawn.append(line(f"M{MARGIN} {y + 6:.1f}H{WIDTH - MARGIN}"))
        lines, y = _after(title, plan, panel.plan, y + 26, scale)
        drawn += lines
    lines, y = _further_legend(panel, found, y)
    return drawn + lines, y


def _further_legend(panel: Panel, found: MemoryMap, y: float) -> tuple[list[str], float]:
    """Swatches of parts that only the bars after fixes have."""
    known = {segment.kind for segment in found.segments}
    further: dict[Kind, str] = {}
    for _, plan in panel.after:
        after = memory_map(plan)
        for segment in after.segments if after else ():
            if segment.kind not in known:
                further.setdefault(segment.kind, segment.title)
        if after is not None and after.gpu is not None and found.gpu is None:
            further.setdefault("over", TITLES["over"])
    return _swatches(list(further.items()), y + 8) if further else ([], y)


def _how(refusal: Plan) -> str:
    return "Refused" if refusal.get("certain", True) else "Refused, by this estimate"


def _bar(found: MemoryMap, y: float, height: float, scale: int, *, axis: bool = False) -> Iterator[str]:
    """The GPU from left to right. The dashed outline on the right is what the fraction leaves free."""
    at = 0
    for segment in found.segments:
        x, width = MARGIN + at / scale * BAR, segment.bytes / scale * BAR
        yield from box(segment.kind, x, y, width, height, _segment_text(segment))
        lines = (_short(segment), gib(segment.bytes))
        if found.gpu is not None:
            width = min(width, MARGIN + found.gpu / scale * BAR - x)
        yield from caption(segment.kind, x, y, width, height, lines if height >= HEIGHT else (" ".join(lines),))
        at += segment.bytes
    if found.limit is not None:
        x = MARGIN + found.limit / scale * BAR
        yield line(f"M{x:.1f} {y - 8:.1f}V{y + height + 4:.1f}", "mark")
        if axis:
            yield text(min(x, WIDTH - MARGIN), y - 10, f"static fraction ends at {gib(found.limit)}", "small", "end")
    if found.gpu is not None:
        yield from _past_the_gpu(found, found.gpu, y, height, scale)
    if axis:
        end = MARGIN + found.total / scale * BAR
        yield text(MARGIN, y + height + 14, "0", "small quiet")
        yield text(end, y + height + 14, gib(found.total), "small quiet", "end")


def _past_the_gpu(found: MemoryMap, gpu: int, y: float, height: float, scale: int) -> Iterator[str]:
    x, end = MARGIN + gpu / scale * BAR, MARGIN + found.total / scale * BAR
    yield from box("over", x, y, end - x, height, _excess(found))
    yield line(f"M{x:.1f} {y - 4:.1f}V{y + height + 4:.1f}", "danger")


def _excess(found: MemoryMap) -> str:
    return f"{gib(found.total - (found.gpu or found.total))} more are asked for"


def _after(title: str, plan: Plan, before: Plan, y: float, scale: int) -> tuple[list[str], float]:
    found = memory_map(plan)
    same = found is not None and found == memory_map(before)
    numbers = "" if same else _tokens_text(plan, before)
    name = fitted(f"After: {title}", BAR - text_width(numbers) - _GAP)
    drawn = [text(MARGIN, y, name, "strong")]
    if same:
        return [*drawn, text(WIDTH - MARGIN, y, "the same division of memory", "quiet", "end")], y + 4
    if numbers:
        drawn.append(text(WIDTH - MARGIN, y, numbers, "", "end"))
    if found is None:
        return [*drawn, text(MARGIN, y + 18, "sizes not known", "quiet")], y + 22
    drawn += _bar(found, y + 12, FIX_HEIGHT, scale)
    bottom = y + 12 + FIX_HEIGHT
    if found.gpu is None:
        return drawn, bottom + 8
    words = f"the GPU ends at {gib(found.gpu)}: {_excess(found)}"
    return [*drawn, text(WIDTH - MARGIN, bottom + 14, words, "small alarm", "end")], bottom + 22


def _legend(segments: Sequence[Segment], y: float) -> tuple[list[str], float]:
    return _swatches([(segment.kind, _segment_text(segment)) for segment in segments], y)


def _swatches(entries: Sequence[tuple[Kind, str]], y: float) -> tuple[list[str], float]:
    drawn: list[str] = []
    x = float(MARGIN)
    for kind, words in entries:
        wide = _SWATCH + 6 + text_width(words)
        if x + wide > WIDTH - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + 20
        drawn += box(kind, x, y, _SWATCH, _SWATCH)
        drawn.append(text(x + _SWATCH + 6, y + 11, words))
        x += wide + _GAP
    return drawn, y + 24


def _segment_text(segment: Segment) -> str:
    unit = "slots" if segment.kind == "state" else "tokens"
    count = "" if segment.tokens is None else f", {segment.tokens:,} {unit if segment.kind != 'draft' else 'rows'}"
    return f"{segment.title}: {gib(segment.bytes)}{count}"


_SHORT = {
    "context": "context",
    "swa": "sliding window",
    "reserve": "left free",
    "spare": "other",
    "lent": "lent",
    "draft": "draft KV",
    "state": "state",
}


def _short(segment: Segment) -> str:
    return _SHORT.get(segment.kind, segment.title)


def _tokens_text(plan: Plan, before: Plan) -> str:
    """``779,959 tokens (+3 %)`` and what the window side gets."""
    return ", ".join(
        filter(
            None,
            (
                _change("tokens", plan.get("max_total_num_tokens"), before.get("max_total_num_tokens")),
                _change("sliding-window", _swa_tokens(plan), _swa_tokens(before)),
            ),
        )
    )


def _swa_tokens(plan: Plan) -> int | None:
    return next((row.get("tokens") for row in plan.get("pools") or () if row["name"] == "swa"), None)


def _change(name: str, now: int | None, before: int | None) -> str:
    if now is None:
        return ""
    relative = f" ({100 * (now - before) / before:+.0f} %)" if before else ""
    relative = " (as before)" if now == before else relative
    return f"{now:,} {name}{relative}"


def _subtitle(panel: Panel) -> str:
    budget = panel.plan.get("budget") or {}
    parts = [panel.place]
    fraction = budget.get("mem_fraction_static")
    if fraction is not None:
        parts.append(f"memory fraction {fraction:.3f}")
    if budget.get("rest") is not None:
        low, high = budget.get("rest_low"), budget.get("rest_high")
        how = f" (estimated, {gib(low)} to {gib(high)})" if low is not None and high is not None else " (given)"
        parts.append(f"for the pools {gib(budget['rest'])}{how}")
    return " | ".join(parts)


def _described(panel: Panel) -> str:
    """The picture in words."""
    found = memory_map(panel.plan)
    parts = [f"{panel.heading}:"]
    if found is None:
        parts.append(f"sizes not known; {'; '.join(panel.plan.get('needs') or ())}.")
        return " ".join(parts)
    parts.append("; ".join(_segment_text(segment) for segment in found.segments) + ".")
    if found.gpu is not None:
        parts.append(f"The GPU ends at {gib(found.gpu)}; {_excess(found)}.")
    if found.arena is not None:
        parts.append(
            f"Ids of the unified arena run to {found.arena.ids:,}; its budget is {found.arena.budget:,} tokens."
        )
    parts += answers_text(panel.plan)
    parts += [f"After {title}: {_tokens_text(plan, panel.plan) or 'sizes not known'}." for title, plan in panel.after]
    return " ".join(parts)


def _wrapped(sentences: Sequence[str]) -> list[str]:
    return [part for sentence in sentences for part in wrapped(f"Not known: {sentence}", _TEXT_COLUMNS, "")]


def _paragraph(sentences: Sequence[str], y: float) -> list[str]:
    return [text(MARGIN, y + 12 + 16 * number, part, "quiet") for number, part in enumerate(_wrapped(sentences))]
