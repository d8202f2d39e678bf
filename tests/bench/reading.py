"""Reading manifests: a thousand files with a launch each, and one more key press in a long file, CPU."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median

from sglint import hosts
from sglint.hosts import yaml_documents
from sglint.text import Document, Sources

from .texts import manifest

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
    print("one key press, CPU ms (median)")
    for lines, aim in KEY_PRESS:
        text = "---\n".join(manifest(LINES).replace("name: bench", f"name: n{part}") for part in range(lines // LINES))
        _read("long.yaml", text)
        at = text.index("name: SETTING", len(text) // 2 - 300)
        typed = (f"{text[:at]}name: N{number}, {text[at:]}" for number in range(PRESSES))
        spent = [_seconds(_read, "long.yaml", changed) for changed in typed]
        print(f"  {lines:>6,} lines  {median(spent) * 1000:6.1f}  (aim {aim})")
    print()


def _read(path: str, text: str) -> None:
    if not hosts.read(Document(path, text, "yaml"), Sources.none()).launches:
        raise RuntimeError(f"no launch was found in {path}")


def _seconds(call: Callable[..., object], *arguments: object) -> float:
    started = time.process_time()
    call(*arguments)
    return time.process_time() - started


if __name__ == "__main__":
    main()
