"""An upgrade in words."""

from __future__ import annotations

from .upgrade import SilentChange, Upgrade

SHOWN = 12


def upgrade_title(found: Upgrade) -> str:
    """One line for a lens: how much breaks and how much changes silently."""
    broken, silent = len(found.breaks), len(found.silent)
    if not broken and not silent and not found.mends:
        return f"SGLang {found.release}: nothing changes for this launch"
    breaking = f"{broken} would break" if broken else "nothing breaks"
    mended = f", {len(found.mends)} mended" if found.mends else ""
    return f"SGLang {found.release}: {breaking}{mended}, {silent} default or choice{'s' if silent != 1 else ''} changed"


def upgrade_markdown(found: Upgrade) -> str:
    """What breaks, what changes silently and what can be renamed, as Markdown."""
    lines = [f"**From SGLang {found.before} to {found.release}**"]
    if found.breaks:
        lines += ["", "Would break:", "", *(f"- {item.code}: {item.message}" for item in found.breaks)]
    if found.mends:
        lines += [
            "",
            "Would no longer be refused for:",
            "",
            *(f"- {item.code}: {item.message}" for item in found.mends),
        ]
    given = [change for change in found.silent if change.given]
    rest = [change for change in found.silent if not change.given]
    if given:
        lines += ["", "Changes for flags that are given:", "", *map(_line, given)]
    if rest:
        lines += ["", "Defaults that move:", "", *map(_line, rest[:SHOWN])]
        lines += [f"- and {len(rest) - SHOWN} more"] if len(rest) > SHOWN else []
    if not found.breaks and not found.silent and not found.mends:
        lines += ["", "Nothing changes for this launch."]
    if found.fix is not None:
        lines += ["", f"One fix solves the spelling: {found.fix.title}."]
    return "\n".join(lines)


def _line(change: SilentChange) -> str:
    if isinstance(change.before, tuple) and isinstance(change.after, tuple):
        gone = [f"-`{member}`" for member in change.before if member not in change.after]
        new = [f"+`{member}`" for member in change.after if member not in change.before]
        return f"- `{change.name}` {' '.join(gone + new) or 'in another order'}"
    return f"- `{change.name}` {_shown(change.before)} becomes {_shown(change.after)}"


def _shown(value: object) -> str:
    return "none" if value is None else f"`{value}`"
