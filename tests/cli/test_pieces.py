"""Objects of a stream, cut where a parser would cut them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.cli import pieces
from sglint.cli.pieces import Malformed, Piece, Stream, json_pieces, yaml_pieces

TEXTS = st.text(max_size=12) | st.sampled_from(['"', "\\", "[", "]}", "items", '"items": [', "\n        }", "\u2028"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)
LAYOUTS = st.sampled_from([{"indent": 4}, {"indent": 1}, {"indent": 2}, {}, {"separators": (",", ":")}])


@contextmanager
def stretches_of(size: int) -> Iterator[None]:
    before, pieces.STRETCH = pieces.STRETCH, size
    try:
        yield
    finally:
        pieces.STRETCH = before


def cut(data: bytes, *, exact: bool, stretch: int = pieces.STRETCH, head: int = 0) -> list[Piece]:
    with stretches_of(stretch):
        return list(json_pieces(Stream(data[:head], io.BytesIO(data[head:])), exact=exact))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(OBJECTS, max_size=4), LAYOUTS, st.booleans(), st.integers(1, 4000), st.integers(0, 50))
def test_items_of_a_json_list(
    items: list[dict[str, Any]], layout: dict[str, Any], escaped: bool, stretch: int, head: int
) -> None:
    whole = {"kind": "PodList", "metadata": {"items": [1]}, "items": items, "more": {}}
    data = json.dumps(whole, ensure_ascii=escaped, **layout).encode("utf-8", "surrogatepass")
    for exact in (True, False):
        try:
            found = cut(data, exact=exact, stretch=stretch, head=head)
        except Malformed:
            # An empty object has no line of its own to end with.
            assert not exact and {} in items
            continue
        assert [json.loads(piece.data) for piece in found] == items
        assert all(data[piece.start : piece.end] == piece.data for piece in found)
        assert {piece.kind for piece in found} <= {"Pod"}


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.lists(OBJECTS, max_size=3), LAYOUTS, st.integers(1, 500))
def test_objects_one_after_another_and_bare_arrays(
    objects: list[dict[str, Any]], layout: dict[str, Any], stretch: int
) -> None:
    singles = [{"kind": "Pod", **one} for one in objects]
    several = "\n".join(json.dumps(one, **layout) for one in singles).encode()
    array = json.dumps(singles, **layout).encode()
    for data in (several, array):
        if data is several and any("items" in one for one in singles):
            continue
        for exact in (True, False):
            assert [json.loads(piece.data) for piece in cut(data, exact=exact, stretch=stretch)] == singles


def test_a_list_that_changes_its_indentation_is_malformed_when_trusted_and_right_when_not() -> None:
    data = b'{"items": [\n    {"a": {\n    "b": 1\n    }, "c": 2\n    }\n]}'
    with pytest.raises(Malformed):
        cut(data, exact=False)
    assert [json.loads(piece.data) for piece in cut(data, exact=True)] == [{"a": {"b": 1}, "c": 2}]


@pytest.mark.parametrize("data", [b'{"items": [{"a": 1', b'{"items": [\n  {\n', b'{"a": "', b"]]}}", b""])
def test_a_stream_that_breaks_off_gives_what_it_had(data: bytes) -> None:
    assert cut(data, exact=True) == []


def test_what_never_ends_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MOST_HELD", 5000)
    with pytest.raises(Malformed):
        cut(b'{"items": [{"a": "' + b"x" * 9000, exact=True, stretch=1000)


def listed(*objects: Any) -> bytes:
    items = yaml.safe_dump(list(objects)) if objects else ""
    return f'apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: ""\n'.encode()


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.lists(OBJECTS.filter(bool), min_size=1, max_size=4), st.integers(1, 600))
def test_items_of_a_yaml_list(objects: list[dict[str, Any]], stretch: int) -> None:
    data = listed(*objects) + b"---\n" + yaml.safe_dump({"kind": "Pod", "own": objects[0]}).encode()
    with stretches_of(stretch):
        found = list(yaml_pieces(Stream(b"", io.BytesIO(data)), 10_000))
    items = [piece for piece in found if piece.is_object and piece.data.strip()]
    assert [yaml.safe_load(piece.text()) for piece in items] == [*objects, {"kind": "Pod", "own": objects[0]}]
    assert all(data[piece.start : piece.end] == piece.data for piece in found)


def test_of_an_object_that_is_too_large_the_beginning_is_held() -> None:
    huge = {"kind": "Pod", "text": ["x" * 50] * 200}
    data = listed(huge, {"kind": "Other"})
    with stretches_of(500):
        first, second, _ = yaml_pieces(Stream(b"", io.BytesIO(data)), 1000)
    assert 1000 < len(first.data) <= 2000
    assert second.text() == b"kind: Other\n"
    assert first.text().startswith(b"kind: Pod\n")
