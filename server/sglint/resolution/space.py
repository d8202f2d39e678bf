"""The space of facts of one launch: what was written, what the model and the GPU are, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from .. import catalogue
from ..facts import Derivation, Facts, Unknown
from . import (
    attention,
    checkpoint,
    draft,
    encoders,
    families,
    graphs,
    json_texts,
    kv_cache,
    kv_sharding,
    layers,
    mamba,
    moe,
    page_size,
    parallel,
    serving,
    speculative,
    uno,
)
from .releases import FIRST_FOLLOWED, followed, undecided

if TYPE_CHECKING:
    from ..catalogue import Flag, FlagTable
    from ..launch.options import Option, Parsed
    from ..models.facts import ModelFacts, Traits
    from ..models.hardware import Gpu

_DRAFT_FLAG = "speculative_draft_model_path"

_MODULES = (
    attention,
    checkpoint,
    draft,
    encoders,
    families,
    graphs,
    json_texts,
    kv_cache,
    kv_sharding,
    layers,
    mamba,
    moe,
    page_size,
    parallel,
    serving,
    speculative,
    uno,
)
DERIVED = {f"resolved.{name}": derivation for module in _MODULES for name, derivation in module.FACTS.items()}


def _unfollowed(facts: Facts) -> NoReturn:
    undecided(f"what SGLang {facts['release']} makes of the options: releases before {FIRST_FOLLOWED} are not followed")


_UNFOLLOWED = dict.fromkeys(DERIVED, _unfollowed)


def facts_of(
    parsed: Parsed,
    model: ModelFacts | None,
    draft: ModelFacts | None,
    gpu: Gpu | None,
    gpu_count: int | None,
    env: Mapping[str, str | None],
    further: Mapping[str, Derivation] | None = None,
) -> Facts:
    """Facts of a launch as the release in ``parsed`` would see them.

    ``model`` and ``draft`` are None when not known, ``gpu`` and ``gpu_count`` (per node) likewise; ``env`` holds
    the variables the launch adds (a None value: set, but not known to what). ``further`` are derived facts of layers
    above this one.
    """
    leaves = _Leaves(parsed, model, draft, gpu, gpu_count, env)
    own = DERIVED if followed(leaves.release) else _UNFOLLOWED
    return Facts({}, {**own, **further} if further else own, leaves.look)


class _Leaves:
    """Answers for given facts by name, each computed when asked for."""

    def __init__(
        self,
        parsed: Parsed,
        model: ModelFacts | None,
        draft: ModelFacts | None,
        gpu: Gpu | None,
        gpu_count: int | None,
        env: Mapping[str, str | None],
    ) -> None:
        self.parsed = parsed
        self.release = catalogue.nearest(parsed.release)
        table = catalogue.load(self.release)
        self.flags = table.by_dest
        self.options: dict[str, list[Option]] = {}
        for option in parsed.options:
            if option.flag is not None and not option.merged:
                self.options.setdefault(option.flag.dest, []).append(option)
        self.model = None if model is None else _Subject(model, model.traits(self.release))
        self.draft = None if draft is None else _Subject(draft, draft.traits(self.release))
        self.gpu = gpu
        self.gpu_count = gpu_count
        self.env = env
        self.hidden = Unknown(tuple(_shown(hole) for hole in parsed.holes)) if parsed.holes else None
        self.unwritten = {} if parsed.holes else _unwritten(table)
        self.written = {f"{root}.{dest}" for dest in self.options for root in ("args", "given")}

    def look(self, name: str) -> Any:
        if name in self.unwritten and name not in self.written:
            return self.unwritten[name]
        root, _, rest = name.partition(".")
        if root == "args":
            return self.argument(rest)
        if root == "given":
            return self.given(rest)
        if root == "model":
            return self.of_model(rest)
        if root == "draft":
            return self.of_draft(rest)
        if root == "gpu":
            return self.of_gpu(rest)
        if root == "env":
            return self.variable(rest)
        if name == "release":
            return self.release
        raise KeyError(f"no fact is called {name}")

    def argument(self, dest: str) -> Any:
        """The value after parsing; the release's default when unset, None when the release has no such argument."""
        flag = self.flags.get(dest)
        if flag is None:
            return None
        value = _default(flag) if self.hidden is None else self.hidden
        for option in self.options.get(dest, ()):
            written = option.value if option.known else Unknown((f"the value of {option.written}",))
            if option.presence == "yes":
                value = written
            elif isinstance(value, Unknown) or isinstance(written, Unknown) or value != written:
                value = Unknown((f"whether {option.written} is given",))
        return value

    def given(self, dest: str) -> Any:
        """Whether the argument was written."""
        options = self.options.get(dest, ())
        if any(option.presence == "yes" for option in options):
            return True
        if options:
            return Unknown((f"whether {options[0].written} is given",))
        if self.hidden is not None and dest in self.flags:
            return self.hidden
        return False

    def of_model(self, field: str) -> Any:
        if field == "known":
            return self.model is not None
        if self.model is None:
            return Unknown((f"the model behind {self.named('model_path')}",))
        return self.model.look(field)

    def of_draft(self, field: str) -> Any:
        given = self.given(_DRAFT_FLAG)
        if field == "given":
            return given
        if field == "known":
            return self.draft is not None
        if self.draft is not None:
            return self.draft.look(field)
        if given is False:
            return None
        return Unknown((f"the draft model behind {self.named(_DRAFT_FLAG)}",))

    def of_gpu(self, field: str) -> Any:
        if field == "count":
            return self.gpu_count if self.gpu_count is not None else Unknown(("how many GPUs the node has",))
        if self.gpu is None:
            return Unknown(("which GPU it runs on",))
        if field == "sm" and self.gpu.vendor != "nvidia":
            return Unknown((f"what SGLang does on {self.gpu.name}: only NVIDIA GPUs are followed",))
        return getattr(self.gpu, field)

    def variable(self, name: str) -> Any:
        if name in self.env and self.env[name] is None:
            return Unknown((f"the value of the environment variable {name}",))
        return self.env.get(name)

    def named(self, dest: str) -> str:
        options = self.options.get(dest, ())
        if options and options[-1].raw and options[-1].raw[-1]:
            return f"`{options[-1].raw[-1]}`"
        return f"`--{dest.replace('_', '-')}`"


@lru_cache(maxsize=32)
def _unwritten(table: FlagTable) -> dict[str, Any]:
    """The arguments of a release by their facts' names, as they are when nothing is written."""
    flags = table.by_dest
    return {
        **{f"args.{dest}": _default(flag) for dest, flag in flags.items()},
        **{f"given.{dest}": False for dest in flags},
    }


def _default(flag: Flag) -> Any:
    if flag.default_computed is not None and flag.default is None:
        return Unknown((f"what the release computes for {flag.names[0]} when it is not given",))
    return flag.default


class _Subject:
    """A model with the traits one release derives."""

    def __init__(self, model: ModelFacts, traits: Traits) -> None:
        self.model = model
        self.traits = traits

    def look(self, field: str) -> Any:
        return getattr(self.traits, field) if hasattr(self.traits, field) else getattr(self.model, field)


def _shown(hole: Any) -> str:
    return f"what `{hole.text}` holds" if hole.text else "which words come in between"
