"""Rebuild ``rules/flags/environment.txt`` from SGLang wheels: the environment variables that each release reads.

    python tools/environment.py FOLDER

``FOLDER`` holds wheels. Nothing of SGLang is imported: a name counts as read where a source file of the package
quotes it or declares it as an environment field. Names that a release only knows to say that they are gone do not
count. First line of the result: releases, oldest first; second: those that read ``SGL_X`` as ``SGLANG_X``; then
``spans<TAB>names`` with inclusive ranges of release numbers.
"""

from __future__ import annotations

import ast
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server"))

from sglint.catalogue import release_key
from sglint.catalogue.store import spans_of

TARGET = Path(__file__).resolve().parents[1] / "rules" / "flags" / "environment.txt"
_QUOTED = re.compile(rb"""["'](SGL(?:ANG)?_[A-Z0-9_]+)["']""")
_FIELD = re.compile(rb"^\s+(SGL(?:ANG)?_[A-Z0-9_]+)\b[^=\n]*=\s*Env", re.MULTILINE)
_REMOVED = re.compile(rb"""["'](SGL(?:ANG)?_[A-Z0-9_]+) has been removed""")
_FORWARDS = re.compile(rb"""startswith\(["']SGL_["']\).*?replace\(["']SGL_["'],\s*["']SGLANG_["']""", re.DOTALL)
_GIVEN_UP = ("_warn_deprecated_env_to_cli_flag",)


def names_read(wheel: Path) -> tuple[set[str], bool]:
    """Names that the package of a wheel reads, and whether it forwards the prefix ``SGL_``."""
    found: set[str] = set()
    forwards = False
    for path, source in _sources(wheel):
        fields, given_up = _decoded(_FIELD, source), _decoded(_REMOVED, source)
        if path == "sglang/srt/environ.py":
            forwards = bool(_FORWARDS.search(source))
            given_up |= _given_up(source)
        found |= (_decoded(_QUOTED, source) | fields) - (given_up - fields)
    return found, forwards


def _decoded(pattern: re.Pattern[bytes], source: bytes) -> set[str]:
    return {match.decode() for match in pattern.findall(source)}


def _sources(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("sglang/") and name.endswith(".py") and not name.startswith("sglang/test/"):
                yield name, archive.read(name)


def _given_up(source: bytes) -> set[str]:
    """Names that are only known to be warned of: no replacement takes their value over."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and _is_warning_only(value):
                    names.add(str(key.value))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _GIVEN_UP:
            names.add(str(ast.literal_eval(node.args[0])))
    return names


def _is_warning_only(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "_DeprecatedEnv"
        and not node.args
        and all(keyword.arg == "note" for keyword in node.keywords)
    )


def main(folder: Path) -> None:
    wheels = {wheel.name.split("-")[1]: wheel for wheel in folder.glob("sglang-*.whl")}
    releases = sorted(wheels, key=release_key)
    holders: dict[str, list[int]] = defaultdict(list)
    forwarding: list[int] = []
    for index, release in enumerate(releases):
        names, forwards = names_read(wheels[release])
        forwarding += [index] if forwards else []
        for name in names:
            holders[name].append(index)
    grouped: dict[str, list[str]] = defaultdict(list)
    for name in sorted(holders):
        grouped[spans_of(holders[name])].append(name)
    lines = [" ".join(releases), spans_of(forwarding), *(f"{key}\t{' '.join(names)}" for key, names in grouped.items())]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
