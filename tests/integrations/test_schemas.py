"""The action and the GitLab job are valid for those who read them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .test_integrations import ACTION, TEMPLATE


def published_schema(name: str) -> dict[str, Any]:
    """A schema as check-jsonschema carries it."""
    found = importlib.util.find_spec("check_jsonschema")
    assert found is not None and found.origin is not None
    path = Path(found.origin).parent / "builtin_schemas" / "vendor" / f"{name}.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


@pytest.mark.parametrize(("document", "name"), [(ACTION, "github-actions"), (TEMPLATE, "gitlab-ci")])
def test_documents_are_valid(document: Any, name: str) -> None:
    schema = published_schema(name)
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [error.message for error in validator.iter_errors(document)] == []
    assert list(validator.iter_errors({"runs": 1, "sglint": 1})) != []
