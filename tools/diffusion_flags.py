"""Writes rules/flags/diffusion.txt: option names that only the diffusion server of SGLang releases has.

    python tools/diffusion_flags.py FOLDER

``FOLDER`` holds wheels. ``sglang serve`` hands its words to another parser when the model is a diffusion model; a
name that only that parser has tells which one will read the words.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server"))

from sglint import catalogue, toml
from sglint.upstream.source import ReleaseSource

ROOT = Path(__file__).resolve().parents[1]
AREAS = (
    "sglang/multimodal_gen/runtime/server_args",
    "sglang/multimodal_gen/configs/pipeline_configs",
    "sglang/multimodal_gen/configs/models",
    "sglang/multimodal_gen/configs/quantization",
)
FOREIGN = ROOT / "rules" / "flags" / "foreign.toml"
"""Names that other programs have too: on a language model's command line they are mistakes, and tell nothing."""


def names_in(source: ReleaseSource) -> set[str]:
    """Option names that the diffusion server's argument declarations spell out."""
    found: set[str] = set()
    for file in source.files:
        if file.startswith(AREAS):
            for node in ast.walk(ast.parse(source.text(file))):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".add_argument"):
                    found |= {value.value for value in node.args if isinstance(value, ast.Constant)}
    return {name for name in found if isinstance(name, str) and name.startswith("--")}


def main(folder: Path) -> None:
    found: set[str] = set()
    for wheel in folder.glob("sglang-*.whl"):
        found |= names_in(ReleaseSource(wheel))
    for release in catalogue.releases():
        table = catalogue.load(release)
        found = {name for name in found if not table.candidates(name)}
    found -= {name for section in toml.parse(FOREIGN.read_text(encoding="utf-8")).values() for name in section}
    (ROOT / "rules" / "flags" / "diffusion.txt").write_text("\n".join(sorted(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
