"""Reading: a thousand manifests with a launch each, and one more key press in a long manifest and script, CPU."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median

from sglint import hosts
from sglint.hosts import yaml_documents
from sglint.text import Document, Sources

from .texts import manifest, script

FILES, LINES = 1000, 160
AIM_SECONDS = 2.0
KEY_PRESS = ((200, 5), (5_000, 30), (16_000, 100))
"""Lines of the file, and the milliseconds that one key press in it may take."""
PRESSES = 9


def main() -> None:
    # As the command line and the server do.
    gc.set_threshold(50_000)
    texts = [manifest(LINES).replace("name: bench", f"name: bench-{number}") for number in range(FILES)]
    compose = sum(_seconds(lambda text: yaml_documents.LOADER(text).get_single_node(), text) for text in texts)
    read = sum(_seconds(_read, f"{number}.yaml", text) for number, text in enumerate(texts))
    print(f"{FILES:,} manifests of {LINES} lines with a launch, CPU s: {read:.2f} (aim {AIM_SECONDS}); ", end="")
    print(f"of which the YAML parser alone {compose:.2f}\n")
    print("one key press, CPU ms (median)      YAML        shell      shell, an open quote")
    for lines, aim in KEY_PRESS:
        manifests = "---\n".join(
            manifest(LINES).replace("name: bench", f"name: n{part}") for part in range(lines // LINES)
        )
        at = manifests.index("name: SETTING", len(manifests) // 2 - 300)
        in_yaml = _press("long.yaml", manifests, at, lambda number: f"name: N{number}, ")
        commands = script(lines)
        at = commands.index("creating", len(commands) // 2)
        in_shell = _press("long.sh", commands, at, lambda number: f"N{number} ")
        broken = _press("long.sh", commands, at, lambda number: f'" N{number} ')
        print(f"  {lines:>6,} lines  (aim {aim:>3})         {in_yaml:6.1f}       {in_shell:6.1f}       {broken:6.1f}")
    print()


def _press(path: str, text: str, at: int, typed: Callable[[int], str]) -> float:
    """Milliseconds to read ``text`` again once something else stands at ``at``."""
    _read(path, text)
    changed = (text[:at] + typed(number) + text[at:] for number in range(PRESSES))
    return median([_seconds(_read, path, one) for one in changed]) * 1000


def _read(path: str, text: str) -> None:
    language = "yaml" if path.endswith(".yaml") else "shell"
    if not hosts.read(Document(path, text, language), Sources.none()).launches:
        raise RuntimeError(f"no launch was found in {path}")


def _seconds(call: Callable[..., object], *arguments: object) -> float:
    started = time.process_time()
    call(*arguments)
    return time.process_time() - started


if __name__ == "__main__":
    main()
