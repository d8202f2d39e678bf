"""Pages of findings that no rule makes: about files, settings and inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import toml
from ..data import rules_dir
from ..rules.model import Rule

FILE = "notices.toml"


def notices() -> Iterator[Rule]:
    """Each as a rule without cases, in order of codes. Raises FileNotFoundError when the installation lacks them."""
    table: dict[str, dict[str, Any]] = toml.parse((rules_dir() / FILE).read_text(encoding="utf-8"))
    for code, page in sorted(table.items()):
        yield Rule(
            code=code,
            name=page["name"],
            topic="reading",
            severity=page["severity"],
            summary=page["summary"],
            message=page["summary"],
            stage=None,
            source=FILE,
            explanation=page["explanation"],
        )
