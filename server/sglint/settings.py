"""What the user set: configuration files, command-line options, editor settings.

The nearest ``sglint.toml``, ``.sglint.toml`` or ``pyproject.toml`` with a ``[tool.sglint]`` table upward from a file
holds for it. Mistakes in a configuration are findings at their place in that file; the good keys still hold.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from . import toml
from .catalogue.release import ReleaseRange, release_key
from .patterns import lazy
from .records import dataclass, field, replace
from .rules.findings import SEVERITIES, Finding
from .text import Span

FILES = ("sglint.toml", ".sglint.toml", "pyproject.toml")
CODE = "SGL012"
NAME = "configuration"

_SELECTOR = lazy(r"[A-Z]{3,8}\d{0,3}|all")


@dataclass(frozen=True)
class Settings:
    """Every key of the configuration, and what only the command line can say.

    release, gpu, gpu_count
        used for launches that say nothing nearer. ``gpu_count`` is per node.
    model, draft
        ids to go by where a launch's own model is not named or not known.
    models
        model path or id -> ``config.json`` or its folder; relative paths are from the configuration file.
    model_config, draft_model_config
        such a path for every launch, whatever its model is called.
    select, ignore
        codes or their beginnings; empty ``select`` means all.
    severity
        code -> severity, or ``off``.
    per_file_ignores
        file pattern -> codes.
    baseline
        file with findings that are known and not shown by ``sglint check``.
    known_flags
        flags that a fork of SGLang adds, by name or pattern.
    origins
        setting -> ``setting`` or ``command line``, for the evidence of what was used.
    source, findings
        configuration file and its mistakes.
    """

    release: str | None = None
    target_releases: str | None = None
    gpu: str | None = None
    gpu_count: int | None = None
    model: str | None = None
    draft: str | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    model_config: str | None = None
    draft_model_config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    known_flags: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    baseline: str | None = None
    fail_on: str = "error"
    origins: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    findings: tuple[Finding, ...] = ()

    def selects(self, code: str, path: str) -> bool:
        """Whether findings of ``code`` in the file at ``path`` are wanted."""
        if self.select and not _matches(self.select, code):
            return False
        if _matches(self.ignore, code) or self.severity.get(code) == "off":
            return False
        return not any(
            _matches(codes, code) for pattern, codes in self.per_file_ignores.items() if path_matches(path, pattern)
        )

    def includes(self, path: str) -> bool:
        """Whether a scan reads the file at ``path``: it matches ``include`` (empty: all do) and not ``exclude``."""
        wanted = not self.include or any(path_matches(path, pattern) for pattern in self.include)
        return wanted and not any(path_matches(path, pattern) for pattern in self.exclude)

    def origin(self, name: str) -> str:
        return self.origins.get(name, "setting")


class SettingError(ValueError):
    """A value that cannot be used; the message gives the remedy."""


def for_document(path: str, root: str | None) -> Settings:
    """Settings of the configuration file nearest to ``path``, looking upward as far as ``root``."""
    found = find(path, root)
    return Settings() if found is None else load(found)


def find(path: str, root: str | None) -> str | None:
    """The nearest configuration file; without a ``root`` the search ends at a repository's top folder."""
    start = Path(path).absolute().parent
    end = Path(root).absolute() if root else None
    for folder in (start, *start.parents):
        own = in_folder(str(folder))
        if own is not None or folder == end or (end is None and is_top(str(folder))):
            return own
    return None


def in_folder(folder: str) -> str | None:
    """The configuration file that a folder itself has."""
    for name in FILES:
        file = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(file) and (name != "pyproject.toml" or _has_table(Path(file))):  # noqa: PTH113
            return file
    return None


def is_top(folder: str) -> bool:
    """Whether a repository begins here, beyond which nothing is looked for."""
    return os.path.exists(os.path.join(folder, ".git"))  # noqa: PTH110, PTH118


def looked_for(path: str, root: str | None) -> Iterator[str]:
    """Where :func:`find` looks, the nearest first."""
    start = Path(path).absolute().parent
    end = Path(root).absolute() if root else None
    for folder in (start, *start.parents):
        yield from (str(folder / name) for name in FILES)
        if folder == end or (end is None and is_top(str(folder))):
            return


def load(path: str) -> Settings:
    """Settings of one configuration file. A file that is no TOML gives the last settings it held, or defaults."""
    file = Path(path)
    try:
        state = file.stat()
        key = (state.st_mtime_ns, state.st_size)
        known = _LOADED.get(path)
        # Rule files change without the configuration that names their folder.
        if known is not None and known[0] == key and not known[1].rules:
            return known[1]
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        return Settings(source=path, findings=(_finding(path, Span(0, 0), f"cannot be read: {reason}"),))
    settings = parse(text, path, before=known[1] if known else None)
    if len(_LOADED) >= _REMEMBERED:
        _LOADED.clear()
    _LOADED[path] = (key, settings)
    return settings


def parse(text: str, path: str, before: Settings | None = None) -> Settings:
    """Settings of a configuration text; ``before`` stay in force where it is no TOML."""
    try:
        table = toml.parse(text)
    except toml.TomlError as error:
        broken = _finding(path, error.span, f"not TOML: {error}")
        return replace(before or Settings(), source=path, findings=(broken,))
    prefix: tuple[str, ...] = ()
    if Path(path).name == "pyproject.toml":
        prefix = ("tool", "sglint")
        table = table.get("tool", {}).get("sglint", {})
    settings, mistakes = _apply(Settings(source=path), table, "setting", Path(path).parent)
    mistakes += [(("rules",), message) for message in _rule_mistakes(settings.rules)]
    findings = tuple(_finding(path, toml.span_of(text, (*prefix, *where)), message) for where, message in mistakes)
    return replace(settings, findings=findings)


def _rule_mistakes(folders: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the user's own rule files, each with its place."""
    if folders:
        from .rules import load_with

        yield from (f"a rule is left out: {mistake}" for mistake in load_with(folders).mistakes)


def from_options(base: Settings, options: Mapping[str, Any], origin: str = "setting") -> Settings:
    """``base`` with ``options`` on top, named like the keys of a configuration file; None ones are skipped.

    Relative paths are from the working directory. Mistakes are findings without a place; the good options hold.
    """
    given = {key: value for key, value in options.items() if value is not None}
    settings, mistakes = _apply(base, given, origin, Path.cwd())
    added = tuple(_finding(base.source or "settings", Span(0, 0), message) for _, message in mistakes)
    return replace(settings, findings=(*settings.findings, *added)) if added else settings


def checked(key: str, value: Any) -> dict[str, Any]:
    """The settings fields one key stands for. Raises :class:`SettingError` for a bad value."""
    return _KEYS[key](value)


def key_names() -> tuple[str, ...]:
    """Every key of a configuration file."""
    return tuple(_KEYS)


def value_of(settings: Settings, key: str) -> Any:
    """What a key holds, as it would be written."""
    if key == "gpu" and settings.gpu is not None and settings.gpu_count is not None:
        return f"{settings.gpu}x{settings.gpu_count}"
    return getattr(settings, key.replace("-", "_"))


def gpu_and_count(text: str) -> tuple[str, int | None]:
    """``h200x8`` to its parts. Raises :class:`SettingError` for a text that names nothing."""
    from .models.hardware import split_count

    name, count = split_count(text)
    if not name:
        raise SettingError("must name a GPU, as h200, or several of it, as h200x8")
    return name.lower(), count


_LOADED: dict[str, tuple[tuple[int, int], Settings]] = {}
_REMEMBERED = 256


def _apply(
    base: Settings, table: Mapping[str, Any], origin: str, folder: Path
) -> tuple[Settings, list[tuple[tuple[str, ...], str]]]:
    fields: dict[str, Any] = {}
    mistakes: list[tuple[tuple[str, ...], str]] = []
    for key, value in table.items():
        if key not in _KEYS:
            mistakes.append(((key,), _unknown_key(key)))
            continue
        try:
            fields |= checked(key, value)
        except SettingError as error:
            mistakes.append(((key, *error.args[1:]), f"`{key}` {error.args[0]}"))
    for name in ("models", "model_config", "draft_model_config", "rules", "baseline"):
        if name in fields:
            fields[name] = _anchored(fields[name], folder)
    return replace(base, **fields, origins={**base.origins, **dict.fromkeys(fields, origin)}), mistakes


def _anchored(value: Any, folder: Path) -> Any:
    """Paths as seen from the configuration file."""
    if isinstance(value, Mapping):
        return {name: str(folder / path) for name, path in value.items()}
    if isinstance(value, tuple):
        return tuple(str(folder / path) for path in value)
    return str(folder / value)


def _unknown_key(key: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, _KEYS, 1)
    return f"`{key}` is no setting; " + (f"did you mean `{near[0]}`?" if near else f"settings are {', '.join(_KEYS)}")


def _finding(path: str, span: Span, message: str) -> Finding:
    return Finding(CODE, NAME, "error", None, message, span, path)


def _matches(selectors: tuple[str, ...], code: str) -> bool:
    return any(selector == "all" or code.startswith(selector) for selector in selectors)


def path_matches(path: str, pattern: str) -> bool:
    """Whether a file pattern of a configuration is meant for ``path``: the whole, its end, or its name."""
    shown = path.replace("\\", "/")
    return fnmatch(shown, pattern) or fnmatch(shown, f"*/{pattern}") or fnmatch(shown.rpartition("/")[2], pattern)


def _has_table(pyproject: Path) -> bool:
    try:
        return "[tool.sglint" in pyproject.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _string(name: str) -> Callable[[Any], dict[str, Any]]:
    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, str) or not value.strip():
            raise SettingError("must be a text that is not empty")
        return {name: value.strip()}

    return check


def _strings(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: _list(value)}


def _list(value: Any, *where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise SettingError("must be a list of texts", *where)
    return tuple(value)


def _selectors(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: _codes(value)}


def _codes(value: Any, *where: str) -> tuple[str, ...]:
    codes = _list(value, *where)
    bad = [code for code in codes if not _SELECTOR.fullmatch(code)]
    if bad:
        raise SettingError(f"holds {bad[0]!r}, which is no code; write SGL101, or SGL1 for all that begin so", *where)
    return codes


def _release(value: Any) -> dict[str, Any]:
    try:
        release_key(value)
    except (TypeError, ValueError):
        raise SettingError("must be an SGLang release such as 0.5.18") from None
    return {"release": value.removeprefix("v")}


def _range(value: Any) -> dict[str, Any]:
    try:
        ReleaseRange.parse(value)
    except (TypeError, ValueError, AttributeError):
        raise SettingError("must be bounds such as >=0.5.18,<0.5.20") from None
    return {"target_releases": value}


def _gpu(value: Any) -> dict[str, Any]:
    if not isinstance(value, str):
        raise SettingError("must be a text such as h200 or h200x8")
    name, count = gpu_and_count(value)
    return {"gpu": name, "gpu_count": count}


def _models(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SettingError("must be a table from model to config.json")
    for name, path in value.items():
        if not isinstance(path, str):
            raise SettingError("must map a model to the path of its config.json", name)
    return {"models": dict(value)}


def _severities(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SettingError("must be a table from code to severity")
    for code, severity in value.items():
        if severity not in (*SEVERITIES, "off"):
            raise SettingError(f"must be one of {', '.join(SEVERITIES)} or off", code)
        _codes([code], code)
    return {"severity": dict(value)}


def _per_file(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SettingError("must be a table from file pattern to a list of codes")
    return {"per_file_ignores": {pattern: _codes(codes, pattern) for pattern, codes in value.items()}}


def _fail_on(value: Any) -> dict[str, Any]:
    if value not in (*SEVERITIES, "never"):
        raise SettingError(f"must be one of {', '.join(SEVERITIES)} or never")
    return {"fail_on": value}


_KEYS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "release": _release,
    "target-releases": _range,
    "gpu": _gpu,
    "model": _string("model"),
    "draft": _string("draft"),
    "models": _models,
    "model-config": _string("model_config"),
    "draft-model-config": _string("draft_model_config"),
    "select": _selectors("select"),
    "ignore": _selectors("ignore"),
    "severity": _severities,
    "per-file-ignores": _per_file,
    "include": _strings("include"),
    "exclude": _strings("exclude"),
    "launchers": _strings("launchers"),
    "known-flags": _strings("known_flags"),
    "rules": _strings("rules"),
    "baseline": _string("baseline"),
    "fail-on": _fail_on,
}
