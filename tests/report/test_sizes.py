"""Memory plans in words."""

from __future__ import annotations

from typing import Any

from sglint.report.sizes import size_text
from sglint.report.style import Style

GIB = 1024**3
PLAN: dict[str, Any] = {
    "budget": {"total": 140 * GIB, "weights": 60 * GIB, "rest": 48 * GIB, "rest_low": 40 * GIB, "rest_high": 50 * GIB},
    "pools": [
        {"name": "full", "tokens": 779_959, "bytes": 24 * GIB, "per_token_bytes": 36_864},
        {"name": "arena", "tokens": None, "bytes": 48 * GIB, "per_token_bytes": None, "virtual_id_span": 1_403_925},
    ],
    "max_total_num_tokens": 779_959,
    "limits": {"max_running_requests": 48},
    "explanation": ["The arena holds both."],
    "needs": ["the draft model"],
}


def test_a_plan() -> None:
    assert list(size_text(PLAN, Style(False, 80))) == [
        "    GPU memory            140.00 GiB",
        "  - weights                60.00 GiB",
        "  = left for the pools     48.00 GiB (estimated; 40.00 to 50.00)",
        "",
        "  pool    tokens           bytes    GiB  per token",
        "  full   779,959  25,769,803,776  24.00     36,864  ############",
        "  arena           51,539,607,552  48.00             ########################",
        "         ids run to 1,403,925",
        "",
        "  max_total_num_tokens  779,959",
        "  max_running_requests  48",
        "  = The arena holds both.",
        "  = not known: the draft model",
    ]


def test_columns_that_say_nothing_are_left_out() -> None:
    plan = {"pools": [{"name": "full", "tokens": None, "bytes": None, "per_token_bytes": 36_864}], "needs": ["bytes"]}
    assert list(size_text(plan, Style(False, 80))) == [
        "",
        "  pool  per token",
        "  full     36,864",
        "",
        "  = not known: bytes",
    ]


def test_a_plan_of_which_nothing_is_known() -> None:
    assert list(size_text({"needs": ["the model"]}, Style(False, 80))) == ["  = not known: the model"]
