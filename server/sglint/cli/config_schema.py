"""The JSON schema of ``sglint.toml``, for editors that complete and check TOML."""

from __future__ import annotations

from typing import Any

from ..rules.findings import SEVERITIES
from ..settings import key_names

_CODE = {"type": "string", "pattern": r"^(SGL\d{0,3}|all)$"}
_CODES = {"type": "array", "items": _CODE}
_RELEASE = {"type": "string", "pattern": r"^v?\d+(\.\d+)*"}
_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}

_SHAPES: dict[str, tuple[dict[str, Any], str]] = {
    "release": (
        {"type": "string", "pattern": r"^v?\d+(\.\d+)*"},
        "SGLang release of launches that do not name theirs.",
    ),
    "target-releases": (_TEXT, "Releases you are going to, as >=0.5.20,<0.5.23: launches are also judged for these."),
    "gpu": (_TEXT, "GPU of launches that do not name theirs, as h200, or h200x8 with the number in a node."),
    "model": (_TEXT, "Model to go by where a launch's own is not named or not known."),
    "draft": (_TEXT, "The same of the draft model."),
    "models": (
        {"type": "object", "additionalProperties": _TEXT},
        "Model path or id to its config.json, or the folder of it; from this file's folder.",
    ),
    "model-config": (_TEXT, "config.json, or its folder, of every launch's model; from this file's folder."),
    "draft-model-config": (_TEXT, "The same of every launch's draft model."),
    "select": (_CODES, "Only these codes; beginnings of codes count."),
    "ignore": (_CODES, "Not these codes; beginnings of codes count."),
    "severity": (
        {"type": "object", "propertyNames": _CODE, "additionalProperties": {"enum": [*SEVERITIES, "off"]}},
        "Another severity for a code, or off.",
    ),
    "per-file-ignores": (
        {"type": "object", "additionalProperties": _CODES},
        "File pattern to codes that are not wanted there.",
    ),
    "include": (_TEXTS, "Patterns of the only files that a scan reads."),
    "exclude": (_TEXTS, "Patterns of files that a scan does not read."),
    "launchers": (_TEXTS, "Scripts and modules of your own that take the server's flags."),
    "known-flags": (_TEXTS, "Flags that your fork of SGLang adds, by name or pattern."),
    "rules": (_TEXTS, "Folders with rules of your own; from this file's folder."),
    "baseline": (_TEXT, "File with known findings that sglint check leaves out; from this file's folder."),
    "fail-on": ({"enum": [*SEVERITIES, "never"]}, "Least severity that makes the exit code 1."),
}


def schema() -> dict[str, Any]:
    """Draft 7, which most editors read. Raises KeyError for a setting that is not described here."""
    properties = {key: {**_SHAPES[key][0], "description": _SHAPES[key][1]} for key in key_names()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "SGLint configuration",
        "description": "sglint.toml, .sglint.toml, or the table tool.sglint of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
