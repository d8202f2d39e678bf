"""Draw the memory maps of docs/pictures anew: an SVG for each launch there, and PNGs for light and dark readers.

    python tools/pictures.py [--png BROWSER]

PNGs need a Chromium; without ``--png`` those that are there stay.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
PHOTOGRAPHED = ("unified-with-draft",)
"""Pictures kept as PNGs, too: the others are told by their SVG alone."""
SCHEMES = {"dark": (0, "#1e1e1e"), "light": (1, "#ffffff")}


def draw(source: Path) -> Path:
    """The memory map of the launch in ``source``, beside it."""
    picture = source.with_suffix(".svg")
    words = ["size", "--compare-fixes", "--format", "svg", "--output", picture.name, source.name]
    subprocess.run([sys.executable, "-m", "sglint", *words], cwd=FOLDER, check=True)
    return picture


def photograph(picture: Path, browser: str) -> None:
    """``picture`` as a browser shows it to readers of dark and of light pages."""
    found = re.search(r'width="(\d+)" height="(\d+)"', picture.read_text(encoding="ascii"))
    assert found is not None
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        for scheme, (preferred, ground) in SCHEMES.items():
            page.write_text(f'<body style="margin:0;background:{ground}"><img src="{picture}">', encoding="utf-8")
            target = picture.with_name(f"{picture.stem}-{scheme}.png")
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            options += [f"--blink-settings=preferredColorScheme={preferred}"]
            options += [f"--window-size={found[1]},{found[2]}", f"--screenshot={target}", page.as_uri()]
            subprocess.run([browser, *options], check=True, capture_output=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--png", metavar="BROWSER", help="a Chromium that also makes the PNGs")
    asked = parser.parse_args()
    for source in sorted(FOLDER.glob("*.yaml")):
        picture = draw(source)
        if asked.png and source.stem in PHOTOGRAPHED:
            photograph(picture, asked.png)


if __name__ == "__main__":
    main()
