"""Frozen data classes that are quick to define.

``dataclasses.dataclass(frozen=True)`` writes and compiles six methods for every class; for the hundred classes of a
run that is half of its start. :func:`dataclass` compiles one, when the first instance is made. Type checkers see the
standard decorator, whose semantics these classes have (``field``, ``replace``, ``fields``, inheritance, equality,
hash and representation by field).
"""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import MISSING, Field, FrozenInstanceError
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """As the standard decorator. Only ``frozen=True`` alone is quick; anything else is handed on."""
        if options != {"frozen": True}:
            return dataclasses.dataclass(cls, **options)
        return _record if cls is None else _record(cls)


class _Parameters:
    """What the standard decorator asks of a base class."""

    frozen = True
    init = repr = eq = match_args = True
    order = unsafe_hash = kw_only = slots = weakref_slot = False


def _record(cls: Any) -> Any:
    fields = _inherited(cls)
    for name, annotation in inspect.get_annotations(cls).items():
        if not str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            fields[name] = _field(cls, name, annotation)
    _check_order(cls, fields)
    cls.__dataclass_fields__ = fields
    cls.__dataclass_params__ = _Parameters
    setattr(cls, "__match_args__", tuple(name for name, field in fields.items() if field.init))  # noqa: B010
    cls.__init__ = _first_init
    cls.__setattr__ = _refuse_to_set
    cls.__delattr__ = _refuse_to_delete
    own = cls.__dict__
    if "__repr__" not in own:
        cls.__repr__ = _repr
    if "__eq__" not in own:
        cls.__eq__ = _eq
        if own.get("__hash__") is None:
            cls.__hash__ = _hash
    return cls


def _inherited(cls: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get("__dataclass_fields__", {})
    return fields


def _field(cls: Any, name: str, annotation: Any) -> Any:
    default = cls.__dict__.get(name, MISSING)
    field: Any = default if isinstance(default, Field) else dataclasses.field(default=default)
    field.name, field.type = name, annotation
    field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    field.kw_only = False
    if isinstance(default, Field):
        if default.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, default.default)
    return field


def _check_order(cls: Any, fields: dict[str, Any]) -> None:
    optional = None
    for name, field in fields.items():
        if field.default is not MISSING or field.default_factory is not MISSING:
            optional = name
        elif optional is not None:
            raise TypeError(f"{cls.__name__}: {name} has no default and follows {optional}, which has one")


def _first_init(self: Any, *args: Any, **kwargs: Any) -> None:
    """Compile the class's own ``__init__`` and run it; later instances go there at once."""
    cls: Any = next(base for base in type(self).__mro__ if base.__dict__.get("__init__") is _first_init)
    init = _compiled_init(cls)
    cls.__init__ = init
    init(self, *args, **kwargs)


def _compiled_init(cls: Any) -> Any:
    scope: dict[str, Any] = {"_MISSING": MISSING}
    parameters, values = [], []
    for name, field in cls.__dataclass_fields__.items():
        if field.default_factory is not MISSING:
            scope[f"_make_{name}"] = field.default_factory
            parameters.append(f"{name}=_MISSING")
            values.append(f"{name!r}: _make_{name}() if {name} is _MISSING else {name}")
            continue
        if field.default is not MISSING:
            scope[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        values.append(f"{name!r}: {name}")
    after = "\n self.__post_init__()" if hasattr(cls, "__post_init__") else ""
    exec(f"def __init__(self, {', '.join(parameters)}):\n self.__dict__.update({{{', '.join(values)}}}){after}", scope)
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


def _compared(instance: Any) -> tuple[Any, ...]:
    held = instance.__dict__
    return tuple([held[name] for name, field in instance.__dataclass_fields__.items() if field.compare])


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self is other or _compared(self) == _compared(other)


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name, field in self.__dataclass_fields__.items() if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
