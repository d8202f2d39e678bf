"""What a launch is judged with: release, model, draft and GPU, each with where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from .. import catalogue, models
from ..launch.model import Evidence, Launch, Place
from ..launch.options import Parsed
from ..models import ModelError, ModelFacts, registry
from ..models import hardware as gpus
from ..models.files import QUANTIZATION, cached, snapshots, with_quantization
from ..models.hardware import Gpu
from ..records import dataclass, replace
from ..settings import Settings
from ..text import Sources

MODEL = ("model_path", "model_config", "model")
DRAFT = ("speculative_draft_model_path", "draft_model_config", "draft")
"""Argument, setting with a path for every launch, and setting with a name."""

ASSUMED = "newest known"
"""Source of a release that nothing names."""


@dataclass(frozen=True)
class Remark:
    """Something about the inputs that the user should know. ``place`` None: the launch."""

    code: str
    message: str
    place: Place | None = None


@dataclass(frozen=True)
class Named:
    """A model by name: the evidence for the name, its facts where they are known, and where those are from."""

    name: Evidence | None
    facts: ModelFacts | None = None
    source: str | None = None
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Hardware:
    gpu: Gpu | None
    name: Evidence | None
    count: Evidence | None
    remarks: tuple[Remark, ...] = ()


def release_of(launch: Launch, settings: Settings) -> Evidence:
    """The release a launch is judged by.

    One asked for on the command line ("what would 0.5.23 make of these files"), else the nearest evidence in the file,
    else the setting, else the newest one known.
    """
    if launch.release is not None and launch.release.value is not None and not _asked_for(settings, "release"):
        return launch.release
    if settings.release is not None:
        return Evidence(settings.release, settings.origin("release"))
    return Evidence(catalogue.releases()[-1], ASSUMED)


def _asked_for(settings: Settings, name: str) -> bool:
    return settings.origin(name) == "command line"


def release_remarks(release: Evidence) -> Iterator[Remark]:
    """Decision: a release that the catalogue lacks is read by a neighbour, and that is said."""
    read_by = catalogue.nearest(release.value)
    if read_by != release.value.removeprefix("v"):
        yield Remark(
            "SGL013",
            f"SGLang {release.value} is not in the catalogue, so this launch is read as {read_by} would read it.",
            release.place,
        )


def model_of(launch: Launch, parsed: Parsed, settings: Settings, sources: Sources, home: str) -> Named:
    return _named(launch.directives.model, parsed, settings, sources, home, MODEL)


def draft_of(launch: Launch, parsed: Parsed, settings: Settings, sources: Sources, home: str) -> Named:
    """The draft model; without one on the command line or in a directive there is none."""
    if launch.directives.draft is None and not parsed.of(DRAFT[0]):
        return Named(None)
    return _named(launch.directives.draft, parsed, settings, sources, home, DRAFT)


def hardware_of(launch: Launch, settings: Settings) -> Hardware:
    """GPU and number of GPUs of one node; each from the command line, else from the file, else from the settings."""
    name, count = launch.gpu, launch.gpu_count
    if settings.gpu is not None and (name is None or _asked_for(settings, "gpu")):
        name = Evidence(settings.gpu, settings.origin("gpu"))
    if settings.gpu_count is not None and (count is None or _asked_for(settings, "gpu_count")):
        count = Evidence(settings.gpu_count, settings.origin("gpu_count"))
    if name is None:
        return Hardware(None, None, count)
    gpu = gpus.find(str(name.value))
    if gpu is not None or name.source not in ("directive", "setting", "command line"):
        return Hardware(gpu, name, count)
    known = ", ".join(gpus.names())
    message = f"`{name.value}` is no GPU that SGLint knows, so what depends on it is not decided. It knows {known}."
    return Hardware(None, name, count, (Remark("SGL014", message, name.place),))


def _named(
    directive: Evidence | None,
    parsed: Parsed,
    settings: Settings,
    sources: Sources,
    home: str,
    keys: tuple[str, str, str],
) -> Named:
    dest, config_key, name_key = keys
    name = directive or _argument(parsed, dest)
    config = getattr(settings, config_key)
    if config is not None and directive is None:
        return _from_file(name, config, settings.origin(config_key), sources)
    found = Named(name)
    if name is not None and name.value is not None:
        mapped = settings.models.get(name.value)
        if mapped is not None:
            return _from_file(name, mapped, settings.origin("models"), sources)
        found = _looked_up(name, sources, home)
    assumed = getattr(settings, name_key)
    if found.facts is not None or assumed is None:
        return found
    return _looked_up(Evidence(assumed, settings.origin(name_key)), sources, home)


def _argument(parsed: Parsed, dest: str) -> Evidence | None:
    """The value written last. One that may or may not be there names nothing."""
    options = parsed.of(dest)
    if not options:
        return None
    option = options[-1]
    place = Place(option.value_span or option.flag_span, option.words[-1].path)
    certain = option.presence == "yes" and option.raw and option.raw[-1] is not None
    return Evidence(option.raw[-1] if certain else None, "argument", place)


def _from_file(name: Evidence | None, path: str, origin: str, sources: Sources) -> Named:
    """Facts of a configuration that the user pointed to; a name on the command line stays the model's name."""
    sources.used.add(path)
    try:
        facts = models.load(path)
    except ModelError as error:
        return Named(name, remarks=(Remark("SGL015", f"{_sentence(str(error))} (from the {origin})."),))
    if facts.folder is not None:
        sources.used.add(facts.folder)
    if name is None or name.value is None:
        return Named(Evidence(facts.name, origin), facts, "file")
    return Named(name, replace(facts, name=name.value), "file")


def _looked_up(name: Evidence, sources: Sources, home: str) -> Named:
    text = str(name.value)
    local = _local(text, sources, home)
    if local is not None:
        return Named(name, local, "file")
    found = registry.look_up(text)
    if found is not None:
        remarks = (Remark("SGL016", f"{_sentence(found.note)}.", name.place),) if found.note else ()
        return Named(name, found.facts, "registry", remarks)
    folder = snapshots(text)
    if folder is None:
        return Named(name)
    sources.used.add(str(folder))
    in_cache = cached(text)
    return Named(name, in_cache, "cache" if in_cache else None)


def _local(text: str, sources: Sources, home: str) -> ModelFacts | None:
    """A model folder of this machine, seen from the file; only paths are tried, never a hub id."""
    if not text.startswith(("/", "./", "../")):
        return None
    folder = PurePosixPath(text)
    path = folder if folder.is_absolute() else Path(home).parent / folder
    raw = sources.text(str(path / "config.json"))
    if raw is None:
        return None
    try:
        config: Any = with_quantization(json.loads(raw), sources.text(str(path / QUANTIZATION)))
        # The checkpoint beside it says what loading takes, so that a change in the folder counts.
        sources.used.add(str(path))
        return replace(models.facts_from_config(config, text), folder=str(path))
    except (ValueError, RecursionError):
        return None


def _sentence(text: str | None) -> str:
    return (text or "")[:1].upper() + (text or "")[1:]
