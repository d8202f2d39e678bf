"""Imports point one way, and only the layers that own a heavy dependency import it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "server" / "sglint"

LAYERS = (
    ("records", "patterns"),
    ("text",),
    ("facts", "data", "toml"),
    ("catalogue",),
    ("knowledge",),
    ("upstream",),
    ("models",),
    ("launch",),
    ("hosts",),
    ("resolution",),
    ("memory",),
    ("rules",),
    ("settings",),
    ("commandline",),
    ("lint",),
    ("assist",),
    ("report",),
    ("gitignore",),
    ("discovery",),
    ("lsp",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
UPSTREAM_MAY_IMPORT = {"upstream", "catalogue", "text", "records", "patterns"}

OWNERS = {
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "yaml": {"hosts", "upstream"},
    "tree_sitter": {"hosts"},
    "tree_sitter_bash": {"hosts"},
}


def layer_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported(file: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import of the file, relative ones made absolute."""
    package = ["sglint", *file.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *filter(None, [node.module])])
            if name == "sglint":
                yield from ((node.lineno, f"sglint.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, name


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_module_has_a_layer() -> None:
    assert {layer_of(file) for file in FILES} - {"__init__"} <= set(RANK)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_imports_point_up_the_list(file: Path) -> None:
    own = layer_of(file)
    wrong = []
    for line, name in imported(file):
        root, _, rest = name.partition(".")
        if root != "sglint" or not rest:
            continue
        other = rest.partition(".")[0]
        if other not in RANK:
            continue
        allowed = other in UPSTREAM_MAY_IMPORT if own == "upstream" else RANK[other] <= RANK[own]
        # The command line starts everything, upstream included; nothing else may lean on it.
        if not allowed or (other == "upstream" and own not in ("upstream", "cli")):
            wrong.append(f"line {line}: {name}")
    assert wrong == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_heavy_packages_stay_in_their_layers(file: Path) -> None:
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(file)
        if layer_of(file) not in OWNERS.get(name.partition(".")[0], {layer_of(file)})
    ]
    assert wrong == []


def modules_after(statement: str) -> set[str]:
    script = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_checking_a_file_loads_neither_the_protocol_nor_parsers_it_does_not_need() -> None:
    loaded = modules_after(
        "from sglint.lint import lint; from sglint.settings import Settings; from sglint.text import Document; "
        "lint(Document('a.yaml', 'a: 1', 'yaml'), Settings())"
    )
    assert (
        loaded & {"pygls", "lsprotocol", "tree_sitter", "yaml", "packaging", "asyncio", "dataclasses", "inspect"}
        == set()
    )


def test_the_door_of_the_command_line_is_light() -> None:
    loaded = modules_after("import sglint.__main__")
    assert loaded & {"sglint.lint", "sglint.hosts", "sglint.catalogue", "json", "argparse"} == set()
