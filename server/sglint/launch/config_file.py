"""The words that a release makes of its ``--config`` file, and the keys it refuses there.

Source: srt/server_args_config_parser.py (0.5.3 to 0.5.19), srt/utils/server_args_config_parser.py (0.5.20 on),
ConfigArgumentMerger, and how srt/server_args.py, prepare_server_args, constructs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from ..catalogue import Flag, FlagTable, ReleaseRange
from ..records import dataclass
from .model import Presence, Word
from .options import Option, ParseProblem
from .values import head_of

CHECKS_ACTIONS = ReleaseRange.parse(">=0.5.8")
"""Releases that know which flags are bare, and refuse keys of flags with an action of their own.

Older ones write any ``true`` as a bare flag and leave any ``false`` out.
"""
WRITES_JSON = ReleaseRange.parse(">=0.5.14")
READS_ALIASES = ReleaseRange.parse(">=0.5.23")
"""Releases that take any long spelling for a key, and any flag that takes one value."""

_UPSTREAM_ACTIONS = {"boolean_optional": "BooleanOptionalAction", "store_const": "_StoreConstAction"}


@dataclass(frozen=True)
class Merged:
    """The words for the parser; ``hidden`` are those that name a file which is not known, ``named`` one that is."""

    words: tuple[Word, ...]
    hidden: tuple[Word, ...] = ()
    problems: tuple[ParseProblem, ...] = ()
    named: Option | None = None


class UnsupportedKey(ValueError):
    """A key whose flag the release's merger cannot set. The message is the release's own."""

    def __init__(self, key: str, flag: Flag) -> None:
        self.key = key
        self.flag = flag
        action = flag.action_class or _UPSTREAM_ACTIONS.get(flag.action, flag.action)
        super().__init__(f"Unsupported config option '{key}' with action '{action}'")


def config_argv(config: Mapping[str, Any], table: FlagTable) -> list[str]:
    """The words for the loaded mapping of a ``--config`` file. Raises :class:`UnsupportedKey`."""
    words: list[str] = []
    for key, value in config.items():
        check_key(key, table)
        if isinstance(value, bool):
            words += _boolean(key, value, table)
        elif isinstance(value, list):
            words += [f"--{key}", *map(str, value)] if value else []
        elif isinstance(value, dict) and WRITES_JSON.holds(table.release):
            words += [f"--{key}", _json(value)]
        else:
            words += [f"--{key}", str(value)]
    return words


def check_key(key: str, table: FlagTable) -> None:
    """Raises :class:`UnsupportedKey` for a key that the release's merger stops at."""
    name = key.replace("-", "_")
    refused = _refused_keys(table).get(name)
    if refused is not None:
        raise UnsupportedKey(name, refused)


def is_bare(key: str, table: FlagTable) -> bool:
    """Whether the merger takes ``true`` for this key as a flag without value."""
    if not CHECKS_ACTIONS.holds(table.release):
        return True
    return key.replace("-", "_") in _bare_keys(table)


def _boolean(key: str, value: bool, table: FlagTable) -> list[str]:
    if not is_bare(key, table):
        return [f"--{key}", str(value).lower()]
    return [f"--{key}"] if value else []


@lru_cache(maxsize=128)
def _refused_keys(table: FlagTable) -> dict[str, Flag]:
    """The keys that the release's merger stops at, each with the last flag it cannot set."""
    if not CHECKS_ACTIONS.holds(table.release):
        return {}
    refused: dict[str, Flag] = {}
    settled: set[str] = set()
    for flag in table.flags:
        if flag.dest in ("config", "help"):
            continue
        keys = _keys(flag, table)
        if not _is_supported(flag, table):
            refused |= dict.fromkeys(keys, flag)
        elif READS_ALIASES.holds(table.release):
            settled |= keys
    return {key: flag for key, flag in refused.items() if key not in settled}


@lru_cache(maxsize=128)
def _bare_keys(table: FlagTable) -> frozenset[str]:
    return frozenset(key for flag in table.flags if _is_plain(flag, "store_true") for key in _keys(flag, table))


def _keys(flag: Flag, table: FlagTable) -> set[str]:
    if not READS_ALIASES.holds(table.release):
        return {flag.dest}
    return {flag.dest} | {name[2:].replace("-", "_") for name in flag.names if name.startswith("--")}


def _is_plain(flag: Flag, action: str) -> bool:
    return flag.action == action and flag.action_class is None


def _is_supported(flag: Flag, table: FlagTable) -> bool:
    if _is_plain(flag, "store_true") or _is_plain(flag, "store"):
        return True
    return READS_ALIASES.holds(table.release) and flag.nargs is None


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def merge_config(words: tuple[Word, ...], table: FlagTable, config: Sequence[Word] | None) -> Merged:
    """Put the words of the ``--config`` file (None: not known) in front of the others.

    Only a separate word ``--config`` is noticed by the releases, wherever it stands.
    """
    flag = table.by_name.get("--config")
    places = [index for index, word in enumerate(words) if word.text == "--config"] if flag else []
    if not places:
        return Merged(words)
    first = places[0]
    refusal = _config_refusal(words, places)
    hidden = words[first : first + 2]
    if refusal is not None:
        word, head, detail = refusal
        return Merged(words, hidden, (_config_problem(word, flag, head, detail),))
    if config is None:
        return Merged(words, hidden)
    merged = (*config, *words[:first], *words[first + 2 :])
    return Merged(merged, problems=tuple(config_problems(config, table)), named=_named(hidden, flag))


def _named(words: Sequence[Word], flag: Flag | None) -> Option:
    """The ``--config`` that was read, which the parser does not get to see."""
    name, path = words
    presence: Presence = "maybe" if "maybe" in (name.presence, path.presence) else "yes"
    known = path.text is not None
    spans = (name.span, path.span)
    return Option("--config", flag, (path.text,), path.text, known, (name, path), presence, *spans, merged=True)


def _config_refusal(words: Sequence[Word], places: Sequence[int]) -> tuple[Word, str, str] | None:
    """The word at which the merger stops, its message, and ours."""
    if len(places) > 1:
        return words[places[1]], "Multiple config files specified! Only one allowed.", "only one `--config` is allowed"
    if places[0] + 1 == len(words):
        detail = "`--config` needs the path of a YAML file"
        return words[places[0]], "No config file specified after --config flag!", detail
    path = words[places[0] + 1]
    suffix = PurePosixPath(path.text).suffix if path.text else ".yaml"
    if suffix.lower() in (".yaml", ".yml"):
        return None
    return path, f"Config file must be YAML format, got: {suffix}", "the file must end in `.yaml` or `.yml`"


def config_problems(config: Sequence[Word], table: FlagTable) -> list[ParseProblem]:
    """Keys of a ``--config`` file that the release's merger refuses. ``config`` are the file's words."""
    problems = []
    for word in config:
        text = word.text or ""
        try:
            check_key(text[2:] if text.startswith("--") else "", table)
        except UnsupportedKey as error:
            detail = f"`{text[2:]}` cannot be set in a `--config` file of this release"
            problems.append(_config_problem(word, error.flag, str(error), detail))
    return problems


def _config_problem(word: Word, flag: Flag | None, head: str, detail: str) -> ParseProblem:
    return ParseProblem("config", word.span, word, flag, head_of(head), detail, fatal=word.presence == "yes")
