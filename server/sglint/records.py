"""Data classes that are quick to define.

The standard decorator writes and compiles up to six methods for every class, and its module loads the inspector of
Python code; for the hundred classes of a run that is half of its start. Here one method is compiled, when a class
has had some instances. Type checkers see the standard names, whose semantics these have: ``field``, ``fields``,
``replace``, ``asdict``, inheritance, frozen instances, equality, order, hash and representation by field.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

_Record = TypeVar("_Record")

if TYPE_CHECKING:
    from dataclasses import FrozenInstanceError as FrozenInstanceError
    from dataclasses import asdict as asdict
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace

    def sparse(cls: type[_Record], values: dict[str, Any]) -> _Record: ...

else:

    class FrozenInstanceError(AttributeError):
        """An instance of a frozen class was to be changed."""

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False):
        """As the standard decorator, for these options."""
        if cls is None:
            return lambda decorated: _record(decorated, frozen=frozen, eq=eq, order=order)
        return _record(cls, frozen=frozen, eq=eq, order=order)

    def field(*, default=..., default_factory=..., repr=True, compare=True):
        return _Field(default, default_factory, repr, compare)

    def fields(owner):
        return tuple(owner.__dataclass_fields__.values())

    def replace(instance, /, **changes):
        for name in instance.__dataclass_fields__:
            if name not in changes:
                changes[name] = getattr(instance, name)
        return type(instance)(**changes)

    def sparse(cls, values):
        """An instance that holds only ``values``; its other fields are the defaults that its class has.

        For the many of a wide class whose fields are mostly left out. What names ``values`` have is not checked.
        """
        instance = cls.__new__(cls)
        instance.__dict__.update(values)
        return instance

    def asdict(instance):
        return {name: _plain(getattr(instance, name)) for name in instance.__dataclass_fields__}


_UNSET = ...
"""No default: an ellipsis is no value of any field here."""

_WORTH_COMPILING = 8
"""Instances of a class that cost as much without a compiled method as compiling it does; most classes have fewer."""


class _Field:
    """One field; ``name`` and ``type`` are known once its class is."""

    name = ""
    type: Any = None
    init = True
    _field_type = None

    def __init__(self, default: Any, default_factory: Any, repr: bool, compare: bool) -> None:
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.compare = compare

    @property
    def optional(self) -> bool:
        return self.default is not _UNSET or self.default_factory is not _UNSET


def _record(cls: Any, *, frozen: bool, eq: bool, order: bool) -> Any:
    members: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        members |= base.__dict__.get("__dataclass_fields__", {})
    for name, annotation in cls.__annotations__.items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            members[name] = _member(cls, name, annotation)
    _check_order(cls, members)
    own = dict(cls.__dict__)
    given: dict[str, Any] = {"__dataclass_fields__": members, "__match_args__": tuple(members), "_instances": 0}
    given["__init__"] = _first_init
    if "__repr__" not in own:
        given["__repr__"] = _repr
    if eq and "__eq__" not in own:
        given["__eq__"] = _eq
        if own.get("__hash__") is None:
            given["__hash__"] = _hash if frozen else None
    if order:
        given |= _ORDER
    if frozen:
        given |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    for name, value in given.items():
        setattr(cls, name, value)
    return cls


def _member(cls: Any, name: str, annotation: Any) -> _Field:
    default = cls.__dict__.get(name, _UNSET)
    if type(default).__module__ == "dataclasses":
        raise TypeError(f"{cls.__name__}.{name}: make it with `field` of this module")
    member = default if isinstance(default, _Field) else _Field(default, _UNSET, True, True)
    member.name, member.type = name, annotation
    if isinstance(default, _Field):
        if default.default is _UNSET:
            delattr(cls, name)
        else:
            setattr(cls, name, default.default)
    return member


def _check_order(cls: Any, members: dict[str, _Field]) -> None:
    optional = None
    for name, member in members.items():
        if member.optional:
            optional = name
        elif optional is not None:
            raise TypeError(f"{cls.__name__}: {name} has no default and follows {optional}, which has one")


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Fill an instance by its fields; a class with more than a few instances gets an ``__init__`` of its own."""
    cls: Any = next(base for base in type(self).__mro__ if base.__dict__.get("__init__") is _first_init)
    values = _filled(cls.__dataclass_fields__, args, kwargs) if cls._instances < _WORTH_COMPILING else None
    if values is None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *args, **kwargs)
        return
    cls._instances += 1
    self.__dict__.update(values)
    if hasattr(cls, "__post_init__"):
        self.__post_init__()


def _filled(members: dict[str, _Field], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The values of all fields, in order; None for arguments that are no call of this class."""
    given = dict(zip(members, args, strict=False)) | kwargs
    if len(given) != len(args) + len(kwargs):
        return None
    values = {}
    for name, member in members.items():
        if name in given:
            values[name] = given.pop(name)
        elif member.default_factory is not _UNSET:
            values[name] = member.default_factory()
        elif member.default is not _UNSET:
            values[name] = member.default
        else:
            return None
    return None if given else values


def _compiled_init(cls: Any) -> Callable[..., None]:
    scope: dict[str, Any] = {"_UNSET": _UNSET}
    parameters, values = [], []
    for name, member in cls.__dataclass_fields__.items():
        if member.default_factory is not _UNSET:
            scope[f"_make_{name}"] = member.default_factory
            parameters.append(f"{name}=_UNSET")
            values.append(f"{name!r}: _make_{name}() if {name} is _UNSET else {name}")
            continue
        if member.default is not _UNSET:
            scope[f"_default_{name}"] = member.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        values.append(f"{name!r}: {name}")
    after = "\n self.__post_init__()" if hasattr(cls, "__post_init__") else ""
    exec(f"def __init__(self, {', '.join(parameters)}):\n self.__dict__.update({{{', '.join(values)}}}){after}", scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


def _compared(instance: Any) -> tuple[Any, ...]:
    held = instance.__dict__
    members = instance.__dataclass_fields__.items()
    try:
        return tuple([held[name] for name, member in members if member.compare])
    except KeyError:
        return tuple([getattr(instance, name) for name, member in members if member.compare])


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return compare(_compared(self), _compared(other)) if other.__class__ is self.__class__ else NotImplemented

    return method


_ORDER = {f"__{name}__": _ordered(getattr(operator, name)) for name in ("lt", "le", "gt", "ge")}


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, member in self.__dataclass_fields__.items() if member.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return value
