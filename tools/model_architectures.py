"""Rebuild ``rules/models/architectures.json`` from unpacked SGLang releases, by static analysis.

    python tools/model_architectures.py FOLDER

``FOLDER`` holds one folder per release (``0.5.18/sglang/srt/...``). Nothing of SGLang is imported. Each list of
architectures is kept as architecture -> range of releases that have it; an architecture of the oldest release has no
lower bound, one of the newest no upper bound.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server"))

from sglint.catalogue import release_key

TARGET = Path(__file__).resolve().parents[1] / "rules" / "models" / "architectures.json"


class Module:
    """The syntax of one ``model_config.py`` with its module constants."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.constants = {
            node.targets[0].id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }

    def function(self, name: str) -> ast.AST:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        return ast.Module([], [])

    def strings(self, node: ast.AST) -> Iterator[str]:
        """String constants below ``node``, module constants resolved."""
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value
            elif isinstance(part, ast.Name) and part.id in self.constants:
                yield from self.strings(self.constants[part.id])


def architectures(names: Iterator[str]) -> set[str]:
    return {name for name in names if name[:1].isupper() and name.isidentifier() and len(name) > 6}


def hybrid_swa(module: Module) -> set[str]:
    body = module.function("is_hybrid_swa_model")
    sets = [node.value for node in ast.walk(body) if isinstance(node, ast.Assign)]
    return {name for node in sets for name in architectures(module.strings(node))}


def mla(module: Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(module.function("_derive_model_shapes")):
        if isinstance(node, ast.If) and _assigns_mla(node.body):
            found |= architectures(module.strings(node.test))
    return found


def _assigns_mla(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "MLA"
        for node in body
    )


def named_list(name: str) -> Callable[[Module], set[str]]:
    return lambda module: architectures(module.strings(module.constants.get(name, ast.Module([], []))))


def in_function(*names: str) -> Callable[[Module], set[str]]:
    return lambda module: {found for name in names for found in architectures(module.strings(module.function(name)))}


def swa_compress(module: Module) -> set[str]:
    for node in ast.walk(module.tree):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Attribute) and target.attr == "is_hybrid_swa_compress":
            return architectures(module.strings(node.value))
    return set()


LISTS: dict[str, tuple[str, Callable[[Module], set[str]]]] = {
    "hybrid_swa": ("is_hybrid_swa_model", hybrid_swa),
    "swa_compress": ("ModelConfig._derive_hybrid_model", swa_compress),
    "mla": ("ModelConfig._derive_model_shapes", mla),
    "dsa": ("is_deepseek_dsa", in_function("is_deepseek_dsa", "is_deepseek_nsa")),
    "deepseek_v4": ("is_deepseek_v4", in_function("is_deepseek_v4")),
    "attention_sinks": ("ModelConfig._detect_attention_sinks", in_function("_detect_attention_sinks")),
    "multimodal": ("multimodal_model_archs", named_list("multimodal_model_archs")),
    "encoder_decoder": ("is_encoder_decoder_model", in_function("is_encoder_decoder_model")),
    "not_generation": ("is_generation_model", in_function("is_generation_model")),
}


def ranges(by_release: dict[str, set[str]]) -> dict[str, str]:
    """Architecture to range text; an architecture that leaves and returns gets explicit exclusions."""
    releases = sorted(by_release, key=release_key)
    result: dict[str, str] = {}
    for name in sorted(set().union(*by_release.values())):
        has = [name in by_release[release] for release in releases]
        first, last = has.index(True), len(has) - 1 - has[::-1].index(True)
        bounds = [f">={releases[first]}"] if first else []
        bounds += [f"<={releases[last]}"] if last < len(has) - 1 else []
        bounds += [f"!={releases[i]}" for i in range(first, last) if not has[i]]
        result[name] = ",".join(bounds)
    return result


def main(folder: Path) -> None:
    modules = {
        path.name: Module(path / "sglang/srt/configs/model_config.py")
        for path in sorted(folder.iterdir(), key=lambda item: release_key(item.name))
    }
    releases = list(modules)
    data: dict[str, object] = {
        "about": f"architecture lists of configs/model_config.py, releases {releases[0]} to {releases[-1]}",
    }
    for key, (symbol, extract) in LISTS.items():
        data[key] = {
            "source": f"srt/configs/model_config.py:{symbol}",
            "architectures": ranges({name: extract(module) for name, module in modules.items()}),
        }
    TARGET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
