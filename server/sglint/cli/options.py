"""Options that several commands share, and the settings that follow from them and from configuration files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import settings
from ..hosts.gate import mentions
from ..records import replace
from ..rules.bundle import cache_dir
from ..rules.findings import Finding, Report
from ..settings import Settings
from ..text import Document
from .errors import UsageError
from .loading import MENTIONS, Words, read_text

_SETTINGS = ("release", "gpu", "model-config", "draft-model-config", "select", "ignore")
_LISTS = ("select", "ignore")


def add_paths(parser: argparse.ArgumentParser, default: str = ".") -> None:
    """``default`` is what the help says about no path at all."""
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help=f"files and folders (default: {default}); - is standard input"
    )
    parser.add_argument("--no-gitignore", action="store_true", help="also files that a repository's .gitignore names")
    parser.add_argument("--stdin-filename", metavar="NAME", help="what to call standard input, and to take it for")


def add_shared(parser: argparse.ArgumentParser) -> None:
    add_launch_settings(parser)
    parser.add_argument("--config", metavar="FILE", help="configuration file to use instead of the nearest one")
    parser.add_argument("--select", metavar="CODES", action="append", help="only these: SGL101,SGL2 (also beginnings)")
    parser.add_argument("--ignore", metavar="CODES", action="append", help="all but these")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", "-j", metavar="N", type=_positive, help="processes for many files (default: as many as cores)"
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")
    add_cache_dir(parser)


def add_cache_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cache-dir", metavar="FOLDER", help="where results are kept (default: the user's cache folder)"
    )


def cache_folder(arguments: argparse.Namespace) -> Path | None:
    """Where results are kept; None for nowhere. ``SGLINT_CACHE_DIR`` and ``SGLINT_NO_CACHE`` say it for every run."""
    if getattr(arguments, "no_cache", False) or (os.environ.get("SGLINT_NO_CACHE") and not arguments.cache_dir):
        return None
    named = arguments.cache_dir or os.environ.get("SGLINT_CACHE_DIR")
    if named:
        return Path(named)
    home = cache_dir()
    return home and home / "reports"


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a whole number from 1 on")
    return int(text)


def cores() -> int:
    """How many processes may run at once here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def add_launch_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--release", help="SGLang release of launches that do not name theirs, as 0.5.18")
    parser.add_argument("--gpu", help="GPU of launches that do not name theirs, as h200 or h200x8 (per node)")
    parser.add_argument("--model-config", metavar="PATH", help="config.json, or its folder, of the model")
    parser.add_argument("--draft-model-config", metavar="PATH", help="the same of the draft model")


class Configured:
    """Settings by file: command-line options over the nearest configuration file.

    Raises UsageError for option values that cannot be used and for a ``--config`` file that is not there.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._options = _checked(arguments)
        self._forced: Settings | None = None
        self._by_folder: dict[str, Settings] = {}
        self._with_options: dict[int, Settings] = {}
        self._mistakes: dict[str, tuple[Finding, ...]] = {}
        named = getattr(arguments, "config", None)
        if named is not None:
            if not Path(named).is_file():
                raise UsageError(f"--config {named}: no such file")
            self._forced = self._noted(settings.load(named))
        self.fail_on = self._base("x").fail_on

    def for_path(self, path: str) -> Settings:
        base = self._base(path)
        known = self._with_options.get(id(base))
        if known is None:
            known = self._with_options[id(base)] = settings.from_options(base, self._options, "command line")
        return known

    def words_at(self, path: str) -> Words:
        """What a file holds one of if it may start a server: with the user's own launchers there."""
        launchers = self._base(path).launchers
        return mentions(launchers) if launchers else MENTIONS

    @property
    def has_baseline(self) -> bool:
        """Whether a configuration met so far names a baseline."""
        return any(found.baseline is not None for found in self._met())

    def files(self) -> Iterator[str]:
        """Every place where a configuration was looked for so far, and the baselines of those that were found."""
        for folder in self._by_folder:
            yield from settings.looked_for(os.path.join(folder, "x"), None)  # noqa: PTH118
        yield from (found.baseline for found in self._met() if found.baseline is not None)

    def rule_folders(self) -> set[str]:
        """Folders of the user's own rules, of every configuration met so far."""
        return {folder for found in self._met() for folder in found.rules}

    def selecting_nothing(self) -> list[str]:
        """What ``--select`` names and no rule has, shipped or of a configuration met so far: it would hide all."""
        asked = [code for code in self._options.get("select", ()) if code != "all"]
        if not asked:
            return []
        from ..report.rulebook import pages
        from ..rules.own import load_with

        own = load_with(tuple(sorted(self.rule_folders()))).rules.rules
        known = (*pages(), *(rule.code for rule in own))
        return [code for code in asked if not any(one.startswith(code) for one in known)]

    def mistakes(self) -> list[Report]:
        """A report for each configuration file met so far that has mistakes."""
        return [_config_report(path, findings) for path, findings in self._mistakes.items()]

    def _met(self) -> Iterable[Settings]:
        return self._by_folder.values() if self._forced is None else (self._forced,)

    def _base(self, path: str) -> Settings:
        if self._forced is not None:
            return self._forced
        folder = os.path.dirname(path)  # noqa: PTH120
        known = self._by_folder.get(folder)
        if known is None:
            known = self._by_folder[folder] = self._noted(self._nearest(folder))
        return known

    def _nearest(self, folder: str) -> Settings:
        """What holds in a folder; each is looked into once, since ten thousand of them share their upper ones."""
        if not folder or folder.startswith(("/", "..")):
            return settings.for_document(os.path.join(folder, "x"), None)  # noqa: PTH118
        own = settings.in_folder(folder)
        if own is not None:
            return settings.load(os.path.abspath(own))  # noqa: PTH100
        return Settings() if settings.is_top(folder) else self._base(folder)

    def _noted(self, found: Settings) -> Settings:
        if found.findings and found.source:
            self._mistakes[found.source] = found.findings
        return found


def launch_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The launch settings of a command line, named as in the cases of ``verdict``. Raises UsageError."""
    options = _checked(arguments)
    kind, count = settings.gpu_and_count(options["gpu"]) if "gpu" in options else (None, None)
    case = {
        "release": options.get("release"),
        "gpu": kind,
        "gpus": count,
        "model_config": options.get("model-config"),
        "draft_model_config": options.get("draft-model-config"),
    }
    return {key: value for key, value in case.items() if value is not None}


def server_words(argv: Sequence[str]) -> list[str]:
    """The server's own words of a command line: what stands before and with the launcher is taken off."""
    if not argv or argv[0].startswith("-"):
        return list(argv)
    from ..hosts.programs import recognise
    from ..launch.argv import words_of

    program = recognise(words_of(argv))
    if program is None or program.kind != "server":
        return list(argv)
    return [word.text or "" for word in program.words]


def _checked(arguments: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key in _SETTINGS:
        value = getattr(arguments, key.replace("-", "_"), None)
        if value is None:
            continue
        if key in _LISTS:
            value = [code for part in value for code in part.replace(",", " ").split()]
        try:
            settings.checked(key, value)
        except settings.SettingError as error:
            shown = ",".join(value) if isinstance(value, list) else value
            raise UsageError(f"--{key} {shown}: it {error.args[0]}") from None
        options[key] = value
    _check_gpu(options.get("gpu"))
    for key in ("model-config", "draft-model-config"):
        if key in options:
            _check_model(key, options[key])
    return options


def _check_model(key: str, path: str) -> None:
    if not Path(path).exists():
        raise UsageError(f"--{key} {path}: no such file or folder")
    from ..models import ModelError, load

    try:
        load(path)
    except ModelError as error:
        raise UsageError(f"--{key} {error}") from None


def _check_gpu(text: str | None) -> None:
    if text is None:
        return
    from ..models.hardware import find, names

    kind, _ = settings.gpu_and_count(text)
    if find(kind) is None:
        raise UsageError(f"--gpu {text}: not a GPU sglint knows; it knows {', '.join(names())}")


def _config_report(path: str, findings: Sequence[Finding]) -> Report:
    shown = os.path.relpath(path)
    document = Document(shown, read_text(path) or "", "toml")
    return Report(document, findings=tuple(replace(finding, path=shown) for finding in findings))
