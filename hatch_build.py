"""Compiles the rule files into the bundle that a wheel carries, so that an installation never parses TOML."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RuleBundle(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable installation reads the rule files themselves, so that an edit shows at once."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "server"))
        from sglint.rules.bundle import write_bundle

        self._scratch = Path(tempfile.mkdtemp(prefix="sglint-rules-"))
        for path in write_bundle(root / "rules", self._scratch):
            build_data["force_include"][str(path)] = f"sglint/_rules/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        scratch = getattr(self, "_scratch", None)
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
