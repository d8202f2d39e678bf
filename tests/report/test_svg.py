"""The memory map as a picture: what is drawn, at which scale, and what it says to those who do not see it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.report.memory_map import NEGLIGIBLE, memory_map
from sglint.report.svg import BAR, HEIGHT, Panel, size_svg

GIB = 1024**3
NS = {"svg": "http://www.w3.org/2000/svg"}


def plan_with(rest: int = 48, draft: int = 4, **changes: Any) -> dict[str, Any]:
    """A unified launch on a GPU of 140 GiB, in GiB: context 2, weights 60, left free 30, and ``rest`` for the pools."""
    arena = rest - draft
    return {
        "budget": {
            "total": 140 * GIB,
            "context_overhead": 2 * GIB,
            "weights": 60 * GIB,
            "reserved_by_fraction": 30 * GIB,
            "rest": 48 * GIB,
            "rest_low": 40 * GIB,
            "rest_high": 50 * GIB,
            "mem_fraction_static": 0.783,
        },
        "pools": [
            {"name": "full", "tokens": 1000, "bytes": arena * GIB // 2, "per_token_bytes": 8},
            {"name": "swa", "tokens": 800, "bytes": arena * GIB // 2, "per_token_bytes": 8},
            {"name": "arena", "tokens": None, "bytes": arena * GIB, "virtual_id_span": 2000},
            {"name": "draft", "tokens": 1000, "bytes": draft * GIB, "per_token_bytes": 2},
        ],
        "max_total_num_tokens": 1000,
        **changes,
    }


def drawn(*panels: Panel) -> ElementTree.Element:
    return ElementTree.fromstring(size_svg(panels))


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iterfind(".//svg:text", NS)]


def widths(root: ElementTree.Element) -> dict[str, float]:
    """Width of each part of the first bar, by its tooltip."""
    found: dict[str, float] = {}
    for group in root.iterfind(".//svg:g", NS):
        title, rect = group.find("svg:title", NS), group.find("svg:rect", NS)
        if title is not None and rect is not None and float(rect.get("height", 0)) == HEIGHT:
            found[title.text or ""] = float(rect.get("width", 0))
    return found


def test_parts_are_to_scale_and_fill_the_gpu() -> None:
    found = widths(drawn(Panel("m", "a.sh:1:1", plan_with())))
    assert found["weights: 60.00 GiB"] == pytest.approx(BAR * 60 / 140, abs=0.1)
    assert found["full tokens: 22.00 GiB, 1,000 tokens"] == pytest.approx(BAR * 22 / 140, abs=0.1)
    assert found["draft KV pool: 4.00 GiB, 1,000 rows"] == pytest.approx(BAR * 4 / 140, abs=0.1)
    assert sum(found.values()) == pytest.approx(BAR, abs=0.5)


def test_ids_that_have_no_draft_row_are_told() -> None:
    root = drawn(Panel("m", "a.sh:1:1", plan_with()))
    assert {
        "ids run to 2,000",
        "token budget 1,000",
        "draft rows to id 1,000",
        "1,000 ids past the draft pool's end",
    } <= {*texts(root)}


def test_a_draft_pool_over_all_ids_is_told_to_be_one() -> None:
    plan = plan_with()
    plan["pools"][3]["tokens"] = 2000
    assert "the draft pool has a row for every id" in texts(drawn(Panel("m", "a.sh:1:1", plan)))


def test_pools_beyond_the_end_of_the_gpu() -> None:
    root = drawn(Panel("m", "a.sh:1:1", plan_with(rest=86, draft=40)))
    assert "The GPU ends at 140.00 GiB: 8.00 GiB more are asked for" in texts(root)
    assert "8.00 GiB more are asked for" in (root.findtext("svg:desc", "", NS))
    assert widths(root)["weights: 60.00 GiB"] == pytest.approx(BAR * 60 / 148, abs=0.1)


def test_pools_that_reach_into_what_the_fraction_leaves_free() -> None:
    found = memory_map(plan_with(rest=58, draft=14))
    assert found is not None
    assert [segment.bytes // GIB for segment in found.segments if segment.kind == "reserve"] == [20]


def test_fixes_below_with_their_tokens() -> None:
    more = plan_with(max_total_num_tokens=1500)
    more["pools"] = [{"name": "full", "tokens": 1500, "bytes": 48 * GIB, "per_token_bytes": 8}]
    found = texts(drawn(Panel("m", "a.sh:1:1", plan_with(), (("Drop it", more), ("Respell it", plan_with())))))
    assert {"After: Drop it", "1,500 tokens (+50 %)", "the same division of memory"} <= {*found}


def test_a_plan_without_bytes_says_what_is_missing() -> None:
    assert "Not known: the model" in texts(drawn(Panel("m", "a.sh:1:1", {"needs": ["the model"]})))


def test_an_estimated_refusal_is_called_one() -> None:
    refusal = {"kind": "weights", "text": "too little", "check": None, "certain": False}
    plan = plan_with(refusal=refusal)
    assert "Refused, by this estimate: too little" in texts(drawn(Panel("m", "a.sh:1:1", plan)))
    plan["refusal"] = {**refusal, "certain": True}
    assert "Refused: too little" in texts(drawn(Panel("m", "a.sh:1:1", plan)))


def test_text_alternatives_and_schemes() -> None:
    svg = size_svg([Panel("chat of gpt-oss", "a.sh:1:1", plan_with())])
    root = ElementTree.fromstring(svg)
    named = {element.get("id") for element in root}
    assert root.get("role") == "img"
    assert {*root.get("aria-labelledby", "").split()} <= named
    assert "weights: 60.00 GiB" in root.findtext("svg:desc", "", NS)
    assert "prefers-color-scheme:dark" in svg
    # Every style holds below the picture's own class, so that it changes nothing in a page around it.
    rules = re.findall(r"([^{}\n]+)\{(?![^}]*\{)", root.findtext("svg:style", "", NS))
    assert all(rule.strip().startswith(".sgm") for rule in rules)


def test_no_launch_is_a_picture_too() -> None:
    assert texts(drawn()) == ["no launch found"]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(heading=st.text(max_size=40), title=st.text(max_size=200))
def test_any_name_makes_a_well_formed_picture(heading: str, title: str) -> None:
    svg = size_svg([Panel(heading, "a.sh:1:1", plan_with(), ((title, plan_with(max_total_num_tokens=7)),))])
    assert svg.isascii()
    ElementTree.fromstring(svg)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(rest=st.integers(2, 200), draft=st.integers(1, 1))
def test_segments_add_up_to_the_bar(rest: int, draft: int) -> None:
    found = memory_map(plan_with(rest, draft))
    assert found is not None
    left = found.total - sum(segment.bytes for segment in found.segments)
    assert 0 <= left <= 2 * found.total // NEGLIGIBLE
