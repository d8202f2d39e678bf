"""Drawing primitives of the memory map: escaped text, boxes, fills that differ in hue, lightness and pattern."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .columns import printable
from .memory_map import Kind

GIB = 1024**3
CHARACTER = 0.54
"""Mean width of a character of a sans-serif face, in ems; captions wider than their box are left out."""

# Okabe and Ito's colours, told apart with every form of colour blindness, and a pattern for a neighbour each.
_FILLS: dict[Kind, tuple[str, str, str]] = {
    "context": ("#8a8a8a", "none", "dark"),
    "weights": ("#0072b2", "none", "light"),
    "draft-weights": ("#56b4e9", "bars", "dark"),
    "full": ("#e69f00", "none", "dark"),
    "swa": ("#009e73", "rising", "dark"),
    "state": ("#f0e442", "dots", "dark"),
    "lent": ("#c8bfa8", "rising", "dark"),
    "draft": ("#cc79a7", "falling", "dark"),
    "tokens": ("#e69f00", "dots", "dark"),
    "spare": ("#d9d9d9", "dots", "dark"),
    "reserve": ("none", "empty", "text"),
    "over": ("#d55e00", "cross", "dark"),
}
_PATTERNS = {
    "bars": (6, '<path d="M3 0V6"/>'),
    "rising": (8, '<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/>'),
    "falling": (8, '<path d="M-2 6L2 10M0 0L8 8M6 -2L10 2"/>'),
    "dots": (6, '<circle cx="3" cy="3" r="0.9"/>'),
    "cross": (8, '<path d="M0 0L8 8M0 8L8 0"/>'),
}

STYLE = """\
.sgm{--paper:#ffffff;--ink:#1f2328;--quiet:#59636e;--line:#8c959f;--alarm:#b3261e;--pattern:#00000055}
@media (prefers-color-scheme:dark){
.sgm{--paper:#1e1e1e;--ink:#e6e6e6;--quiet:#a8b0b8;--line:#7d8590;--alarm:#ff8a70;--pattern:#00000066}}
.sgm text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink);font-size:12px}
.sgm .paper{fill:var(--paper)}.sgm .head{font-size:15px;font-weight:600}.sgm .quiet{fill:var(--quiet)}
.sgm .strong{font-weight:600}.sgm .alarm{fill:var(--alarm);font-weight:600}
.sgm .dark{fill:#111111}.sgm .light{fill:#ffffff}.sgm .small{font-size:11px}
.sgm .over-box{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}
.sgm .small{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.sgm .box{stroke:var(--paper);stroke-width:1}.sgm .empty{fill:none;stroke:var(--line);stroke-dasharray:3 3}
.sgm .rule{stroke:var(--line);stroke-width:1;fill:none}.sgm .mark{stroke:var(--ink);stroke-width:1.5;fill:none}
.sgm .bracket{stroke:var(--ink);stroke-width:1.5;fill:none}
.sgm .danger{stroke:var(--alarm);stroke-width:2;fill:none}.sgm .arrow{stroke:#111111;stroke-width:1.5;fill:none}
.sgm pattern path{stroke:var(--pattern);stroke-width:1.4;fill:none}.sgm pattern circle{fill:var(--pattern)}
"""


def patterns() -> Iterator[str]:
    yield "<defs>"
    for name, (size, shape) in _PATTERNS.items():
        yield (
            f'<pattern id="sgm-{name}" width="{size}" height="{size}" patternUnits="userSpaceOnUse">{shape}</pattern>'
        )
    yield "</defs>"


def box(kind: Kind, x: float, y: float, width: float, height: float, title: str = "") -> Iterator[str]:
    """A filled rectangle with its pattern over it; ``title`` is its tooltip and its text alternative."""
    colour, pattern, _ = _FILLS[kind]
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}"'
    yield f"<g><title>{shown(title)}</title>" if title else "<g>"
    if pattern == "empty":
        yield f'<rect class="empty" {place} pointer-events="all"/>'
    else:
        yield f'<rect class="box" {place} fill="{colour}"/>'
        if pattern != "none":
            yield f'<rect {place} fill="url(#sgm-{pattern})"/>'
    yield "</g>"


def caption(kind: Kind, x: float, y: float, width: float, height: float, lines: tuple[str, ...]) -> Iterator[str]:
    """Lines of text centred in a box; those that are too wide for it are left out."""
    fitting = [line for line in lines if text_width(line) + 8 <= width]
    colour, pattern, tone = _FILLS[kind]
    style = f' class="{tone} over-box" stroke="{colour}"' if tone != "text" else ""
    first = y + height / 2 + 4 - (len(fitting) - 1) * 7
    if fitting and pattern not in ("none", "empty"):
        yield _plate(x + width / 2, first - 12, max(map(text_width, fitting)), len(fitting) * 14 + 2, colour)
    for number, words in enumerate(fitting):
        where = f'x="{x + width / 2:.1f}" y="{first + number * 14:.1f}"'
        yield f'<text{style} {where} text-anchor="middle">{shown(words)}</text>'


def _plate(middle: float, y: float, wide: float, high: float, colour: str) -> str:
    """Plain ground for words on a pattern."""
    place = f'x="{middle - wide / 2 - 2:.1f}" y="{y:.1f}" width="{wide + 4:.1f}" height="{high:.1f}"'
    return f'<rect class="plate" {place} rx="3" fill="{colour}"/>'


def text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{shown(words)}</text>'


def line(points: str, style: str = "rule") -> str:
    return f'<path class="{style}" d="{points}"/>'


def text_width(words: str, size: float = 12) -> float:
    return len(words) * size * CHARACTER


def fitted(words: str, width: float, size: float = 12) -> str:
    """``words``, cut with an ellipsis where they are wider than ``width``."""
    most = int(width / (size * CHARACTER))
    return words if len(words) <= most else words[: max(most - 1, 1)] + "\u2026"


def shown(words: str) -> str:
    return escape(printable(words), quote=True)


def gib(size: int) -> str:
    return f"{size / GIB:.2f} GiB"
