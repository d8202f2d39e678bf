"""Our quick data classes behave as the standard ones do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from functools import cached_property
from typing import Any, ClassVar

import pytest

from sglint import records


def shapes(module: Any) -> dict[str, Any]:
    """The same classes, made by either module's decorator."""
    make, field = module.dataclass, module.field

    @make(frozen=True)
    class Point:
        x: int
        y: int = 2
        tags: tuple[str, ...] = ()
        KIND: ClassVar[str] = "point"

        @property
        def total(self) -> int:
            return self.x + self.y

        @cached_property
        def doubled(self) -> int:
            return 2 * self.total

    @make(frozen=True)
    class Named(Point):
        name: str = "n"
        notes: dict[str, int] = field(default_factory=dict, compare=False)
        secret: str = field(default="s", repr=False)

    @make(frozen=True)
    class Checked:
        low: int
        high: int

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise ValueError("low above high")

    @make(frozen=True)
    class Loud:
        text: str

        def __repr__(self) -> str:
            return self.text.upper()

    return {"Point": Point, "Named": Named, "Checked": Checked, "Loud": Loud}


STANDARD, QUICK = shapes(dataclasses), shapes(records)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("Point", (1,), {}),
        ("Point", (), {"x": 1, "y": 5}),
        ("Point", (1, 2, ("a",)), {}),
        ("Named", (1,), {"name": "other"}),
        ("Named", (1,), {"notes": {"a": 1}}),
        ("Named", (1, 2, (), "m", {}, "t"), {}),
        ("Checked", (1, 2), {}),
        ("Loud", ("abc",), {}),
    ],
)
def test_the_same_value(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    standard, quick = STANDARD[name](*args, **kwargs), QUICK[name](*args, **kwargs)
    assert repr(quick).replace("<locals>.", "") == repr(standard).replace("<locals>.", "")
    assert records.asdict(quick) == dataclasses.asdict(standard)
    assert quick == QUICK[name](*args, **kwargs)
    assert quick != standard
    assert [field.name for field in records.fields(quick)] == [field.name for field in dataclasses.fields(standard)]
    assert type(quick).__match_args__ == type(standard).__match_args__
    assert copy.copy(quick) == quick


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("Point", (), {}),
        ("Point", (1, 2, (), 4), {}),
        ("Point", (1,), {"z": 1}),
        ("Point", (1,), {"x": 1}),
        ("Checked", (1,), {}),
    ],
)
def test_the_same_refusals(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    for classes in (STANDARD, QUICK):
        with pytest.raises(TypeError):
            classes[name](*args, **kwargs)


@pytest.mark.parametrize("name", ["Point", "Named", "Checked"])
def test_the_first_instances_are_like_all_later_ones(name: str) -> None:
    fresh: Any = shapes(records)[name]
    args = (1, 2)
    made = [fresh(*args) for _ in range(20)]
    assert all(one == made[-1] and one.__dict__ == made[-1].__dict__ for one in made)
    assert made[0] == fresh(**dict(zip(fresh.__match_args__, args, strict=False)))


def test_a_sparse_instance_has_the_defaults_of_its_class() -> None:
    named: Any = QUICK["Point"]
    sparse: Any = records.sparse(named, {"x": 1})
    assert (sparse, hash(sparse), repr(sparse)) == (named(1), hash(named(1)), repr(named(1)))
    assert named(1) == sparse != named(2)
    assert records.replace(sparse, y=5) == named(1, 5)
    assert records.asdict(sparse) == records.asdict(named(1))
    assert pickle.loads(pickle.dumps(records.sparse(Kept, {"x": 4}))) == Kept(4)


def test_after_initialisation_runs() -> None:
    with pytest.raises(ValueError, match="low above high"):
        QUICK["Checked"](2, 1)
    with pytest.raises(ValueError, match="low above high"):
        records.replace(QUICK["Checked"](1, 2), low=3)


def test_frozen() -> None:
    point = QUICK["Point"](1)
    for change in (lambda: setattr(point, "x", 2), lambda: setattr(point, "new", 2), lambda: delattr(point, "x")):
        with pytest.raises(records.FrozenInstanceError):
            change()
    assert point.doubled == 6


def test_hash_follows_equality() -> None:
    named = QUICK["Named"]
    assert len({named(1), named(1, notes={}), named(1, 2)}) == 1
    assert len({named(1), named(2), QUICK["Point"](1)}) == 3
    with pytest.raises(TypeError):
        hash(QUICK["Point"](1, tags=[]))


def test_replace_and_defaults_are_not_shared() -> None:
    first, second = QUICK["Named"](1), QUICK["Named"](1)
    assert first.notes is not second.notes
    assert records.replace(first, x=9).x == 9
    with pytest.raises(TypeError):
        records.replace(first, z=9)


def test_order() -> None:
    @records.dataclass(frozen=True, order=True)
    class Weighted:
        weight: int
        name: str = ""

    light, heavy = Weighted(1, "b"), Weighted(1, "c")
    assert light < heavy
    assert sorted([heavy, light, Weighted(0)]) == [Weighted(0), light, heavy]
    assert light <= light <= heavy
    assert heavy > light >= Weighted(0, "z")
    with pytest.raises(TypeError):
        assert light < 3  # type: ignore[operator]


def test_open_classes_change_and_have_no_hash() -> None:
    @records.dataclass
    class Open:
        n: int
        seen: list[int] = records.field(default_factory=list)

    one = Open(1)
    one.n = 2
    one.seen.append(3)
    assert one == Open(2, [3])
    assert Open(1).seen == []
    with pytest.raises(TypeError):
        hash(one)


def test_equality_by_identity() -> None:
    @records.dataclass(frozen=True, eq=False)
    class Token:
        n: int

    one = Token(1)
    assert one != Token(1)
    assert len({one, one, Token(1)}) == 2


def test_a_required_field_behind_an_optional_one_is_refused() -> None:
    with pytest.raises(TypeError):

        @records.dataclass(frozen=True)
        class Wrong:
            a: int = 1
            b: int  # type: ignore[misc]


@records.dataclass(frozen=True)
class Kept:
    x: int
    items: tuple[int, ...] = (1,)


def test_pickling() -> None:
    assert pickle.loads(pickle.dumps(Kept(1, (2, 3)))) == Kept(1, (2, 3))
