"""Linting over the machines of a Ray cluster, with the results in the order of the files.

A worker gets texts and settings. What else it reads on their behalf (charts, scripts, configurations of models) it
looks for under the paths of the machine that asks, and says what it found. Where that is not what is found here, the
file is linted here, so that no answer depends on the machine that gave it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from .. import __version__
from ..catalogue.load import user_dir
from ..data import rules_dir
from ..records import dataclass, replace
from ..settings import Settings
from .attempts import Attempt, attempt
from .errors import UsageError
from .loading import Loaded
from .options import Configured
from .parallel import light
from .tracing import Disk, digest_of

LOCAL = "local"
RETRIES = 3
"""Further tries of what a worker or a machine took along when it died."""

_AT_ONCE = 8
_AHEAD = 8
"""Handfuls that wait for each core: enough to keep it busy, few enough that a dump is not held at once."""

_COMPILED = ("_bundle", ".bundle")


@dataclass(frozen=True)
class Given:
    """What every worker has to know. ``folder`` is where relative paths begin, ``models`` the Hugging Face home."""

    program: bytes
    linted: Container[str]
    fixes: bool
    folder: str
    models: str


@dataclass(frozen=True)
class Handful:
    """Files with the settings of each, and the state of the folders with rules of the user's own."""

    files: tuple[tuple[Loaded, Settings], ...]
    rules: Mapping[str, bytes]


@dataclass(frozen=True)
class OtherProgram:
    """A worker's answer when its SGLint is not the one that asks."""

    version: str


class _As:
    """Settings that were chosen elsewhere."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def for_path(self, path: str) -> Settings:
        return self._settings


class Fleet:
    """The workers of one run. ``address`` is of a cluster, ``auto`` for the one around, or ``local`` for one that lasts
    as long as the run, with ``jobs`` workers. Raises UsageError when there is none, or none that can help."""

    def __init__(self, address: str, configured: Configured, linted: Container[str], *, fixes: bool, jobs: int) -> None:
        self._ray = _library()
        self._configured = configured
        self._linted = linted
        self._fixes = fixes
        self._disk = Disk(linted)
        self._lost = 0
        self._differing = 0
        self._started = not self._ray.is_initialized()
        # Ray tells of lost workers on standard output, into the midst of a report.
        self._stdout = sys.stdout
        sys.stdout = sys.stderr
        try:
            if self._started:
                _connect(self._ray, address, jobs)
        except BaseException:
            self.close()
            raise

    def attempts(self, files: Iterable[Loaded]) -> Iterator[Attempt]:
        """What :func:`sglint.cli.attempts.attempt` answers for each file, in order."""
        given = self._ray.put(Given(program(), self._linted, self._fixes, str(Path.cwd()), _models()))
        lint_there = self._ray.remote(num_cpus=1, max_retries=RETRIES)(_lint_there)
        most = _AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        asked: deque[tuple[list[Loaded], Any]] = deque()
        files = iter(files)
        while handful := list(islice(files, _AT_ONCE)):
            asked.append((handful, lint_there.remote(given, self._handful(handful))))
            if len(asked) > most:
                yield from self._answered(*asked.popleft())
        while asked:
            yield from self._answered(*asked.popleft())

    def trouble(self) -> str | None:
        """One line about what was not done by workers."""
        lost = f"{self._lost} because workers were lost" if self._lost else ""
        differing = f"{self._differing} because workers see other files beside them" if self._differing else ""
        told = " and ".join(filter(None, (lost, differing)))
        return f"linted here: {told}" if told else None

    def close(self) -> None:
        """End what :class:`Fleet` began."""
        if self._started:
            self._ray.shutdown()
        sys.stdout = self._stdout

    def _handful(self, files: Iterable[Loaded]) -> Handful:
        pairs = tuple((replace(found, data=b""), self._configured.for_path(found.path)) for found in files)
        return Handful(pairs, {folder: contents(folder) for _, settings in pairs for folder in settings.rules})

    def _answered(self, handful: list[Loaded], asked: Any) -> Iterator[Attempt]:
        try:
            answer = self._ray.get(asked)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ImportError):
                raise UsageError(f"--ray: a worker has no SGLint; install sglint {__version__} there") from None
            answer = None
        except self._ray.exceptions.RayError:
            answer = None
        if isinstance(answer, OtherProgram):
            raise UsageError(
                f"--ray: a worker has another SGLint ({answer.version}), rules or catalogue; install the same there"
            )
        made = pickle.loads(answer) if answer is not None else [None] * len(handful)
        self._lost += len(handful) if answer is None else 0
        for found, there in zip(handful, made, strict=True):
            if there is not None and there.answers is not None and self._disk.agree(there.answers):
                yield there
            else:
                self._differing += there is not None
                yield light(attempt(found, self._configured, self._linted, fixes=self._fixes))


def _library() -> Any:
    # Ray would tell its makers that it was started.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise UsageError("--ray needs the Ray library: `pip install 'sglint[ray]'`") from None
    return ray


def _connect(ray: Any, address: str, jobs: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    local = {"num_cpus": jobs, "include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, **quiet, **local)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        said = " ".join(str(error).split())[:160]
        raise UsageError(f"--ray {address}: no cluster there ({said})") from None


def _models() -> str:
    return os.environ.get("HF_HOME") or str(Path.home() / ".cache" / "huggingface")


def _lint_there(given: Given, handful: Handful) -> bytes | OtherProgram | None:
    """The attempts as bytes, in a worker; None where it cannot do what is asked."""
    if given.program != program():
        return OtherProgram(__version__)
    if any(contents(folder) != state for folder, state in handful.rules.items()):
        return None
    if Path(given.folder).is_dir():
        os.chdir(given.folder)
    os.environ["HF_HOME"] = given.models
    made = [light(attempt(found, _As(settings), given.linted, fixes=given.fixes)) for found, settings in handful.files]
    try:
        return pickle.dumps(made)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


@lru_cache(maxsize=1)
def program() -> bytes:
    """What this SGLint is made of: its modules, rules and catalogue, wherever they are installed."""
    package = Path(__file__).resolve().parents[1]
    return digest_of(b"".join(map(contents, (str(package), str(rules_dir()), str(user_dir())))))


@lru_cache(maxsize=64)
def contents(folder: str) -> bytes:
    """What the files below a folder hold, whatever their age, but for what is compiled from others."""
    top = Path(folder)
    parts = []
    for path in sorted(top.rglob("*")):
        if "__pycache__" in path.parts or path.name.startswith(_COMPILED) or not path.is_file():
            continue
        parts += [path.relative_to(top).as_posix().encode("utf-8", "surrogateescape"), digest_of(path.read_bytes())]
    return digest_of(b"\0".join(parts))
