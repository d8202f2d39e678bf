"""What was found in the scripts of one document, gathered while they are walked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ..launch.model import EnvVar, Evidence, NotLaunch, Problem
from ..records import dataclass, field, replace
from ..text import Span
from .gate import launchers
from .program_words import Program
from .programs import mentions_launcher
from .shell_bodies import Body
from .shell_script import Script
from .shell_sources import Surrounding

MAX_COMMANDS = 60_000

MAX_CALLS = 6
"""Calls inside one another that are followed, through all scripts."""

MAX_CALLS_OF_ONE = 60
MAX_INNER_CALLS = 1_000
"""Calls of one function, and calls made by functions, that are followed. Those of functions that call each other at
many places multiply; one that is not followed makes unknown what it sets."""

MAX_WAYS = 300
"""Ways to one launch that are compared: the turns of two loops inside one another, and room for calls."""


@dataclass(frozen=True)
class Found:
    """A server start as met on one way through the script.

    ``outer``: where the outermost command begins; ``around``: programs that carry the script it stands in;
    ``command``: offsets in ``script`` where the command begins and where its last word ends. ``reached``: nothing in
    the script says that this way is never taken.
    """

    program: Program
    span: Span
    outer: int
    env: tuple[EnvVar, ...]
    script: Script
    command: tuple[int, int]
    around: tuple[Program, ...] = ()
    reached: bool = True


@dataclass
class Findings:
    """Launches by the place of their launcher word, in the order met, and everything else worth telling.

    ``sourced``: another file was read into the script.
    """

    around: Surrounding | None = None
    launches: dict[tuple[Span, Span], list[Found]] = field(default_factory=dict)
    not_launches: dict[Span, NotLaunch] = field(default_factory=dict)
    releases: list[Evidence] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, Script] = field(default_factory=dict)
    nesting: int = 0
    sourced: bool = False
    _calling: int = 0
    _inner_calls: int = 0
    _calls: Counter[str] = field(default_factory=Counter)
    _unread: dict[Span, Script] = field(default_factory=dict)
    _around: list[Program] = field(default_factory=list)
    _spent: int = 0
    _unreached: int = 0

    @property
    def launchers(self) -> frozenset[str]:
        """Names of scripts that take the server's flags."""
        return launchers()

    def spend(self) -> bool:
        self._spent += 1
        if self._spent == MAX_COMMANDS:
            self.limit(f"Reading this file stopped after {MAX_COMMANDS:,} commands.", Span(0, 0))
        return self._spent < MAX_COMMANDS

    @contextmanager
    def called(self, function: str) -> Iterator[bool]:
        """While a function is called; whether the call is to be followed, which it is not behind or inside of many."""
        self._calls[function] += 1
        self._inner_calls += bool(self._calling)
        follow = (
            self._calling < MAX_CALLS
            and self._calls[function] <= MAX_CALLS_OF_ONE
            and self._inner_calls <= MAX_INNER_CALLS
        )
        self._calling += 1
        try:
            yield follow
        finally:
            self._calling -= 1

    def limit(self, message: str, span: Span) -> None:
        if not any(problem.message == message for problem in self.problems):
            self.problems.append(Problem("SGL004", "reading-limit", "info", message, span))

    @contextmanager
    def inside(self, program: Program | None) -> Iterator[None]:
        """While the script that ``program`` runs is walked."""
        if program is None:
            yield
            return
        self._around.append(program)
        try:
            yield
        finally:
            self._around.pop()

    @contextmanager
    def unreached(self) -> Iterator[None]:
        """While statements are walked that the script surely passes by."""
        self._unreached += 1
        try:
            yield
        finally:
            self._unreached -= 1

    def launch(self, found: Found) -> None:
        launcher = found.program.span or found.span
        ways = self.launches.setdefault((launcher, found.span), [])
        reached = not self._unreached
        if ways and reached is not ways[0].reached:
            # Where the script says which ways are taken, the others tell nothing.
            if not reached:
                return
            ways.clear()
        if len(ways) < MAX_WAYS:
            ways.append(replace(found, around=tuple(self._around), reached=reached))
        else:
            self.limit(f"Only the first {MAX_WAYS} ways to this start are read.", launcher)

    def not_launch(self, program: str, span: Span) -> None:
        self.not_launches.setdefault(span, NotLaunch(program, span))

    def installed(self, release: Evidence | None) -> None:
        if release is not None and release not in self.releases:
            self.releases.append(release)

    def keep(self, body: Body) -> None:
        """A here-document that no interpreter reads; it may be run later as the file it is written to."""
        if body.target is not None:
            self.files[body.target] = body.script
        self._unread[body.script.span(0, len(body.script.text))] = body.script

    def read(self, body: Body) -> None:
        """What an interpreter reads is no text that is only kept."""
        self._unread.pop(body.script.span(0, len(body.script.text)), None)

    def run_file(self, path: str) -> Script | None:
        """The script written to ``path`` in this document; None when there is none or it is running itself."""
        script = self.files.get(path)
        if script is None:
            return None
        self._unread.pop(script.span(0, len(script.text)), None)
        return script

    def finish(self) -> None:
        """Name the launchers in here-documents that nothing ran."""
        for script in self._unread.values():
            mention = mentions_launcher(script.text)
            if mention is not None:
                self.not_launch("heredoc text", script.span(*mention))
