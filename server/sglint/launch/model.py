"""A launch: one place in a document that starts an SGLang server, word by word, with its surroundings.

Everything here is what the file says; what a release makes of it is decided by ``launch.argv`` (which words are
options) and ``resolution`` (what the engine turns them into).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, Protocol

from ..records import dataclass, field, replace
from ..text import Document, Edit, Mapped, Span

Presence = Literal["yes", "maybe"]


@dataclass(frozen=True)
class Place:
    """A span in a document; ``path`` None means the document the launch stands in."""

    span: Span
    path: str | None = None


@dataclass(frozen=True)
class Definition:
    """Where a variable that went into a word got its text."""

    name: str
    place: Place


@dataclass(frozen=True)
class Word:
    """One element of the argv, or a hole that stands for any number of them.

    text
        decoded as the process would receive it; None when it is not statically known.
    span
        hull of the source characters that make the text (quotes around the word excluded, see
        the extraction rules); for a variable the use site; for a word of an array where it is written.
    mapped
        the text with its characters' places, so that a part of the word (``--flag`` of ``--flag=value``) has an
        exact span. Where only a part of the text is not known (``--tp-size=$TP``), ``text`` is None and the
        mapped text holds what is written there; None when nothing of the text is known.
    unknown
        decoded stretches ``(start, end)`` of ``mapped`` that are not known, in order; empty when ``text`` is known.
    stated
        for a bare flag that a map writes as ``key: true``: where the ``true`` stands.
    read_as
        for an item of a YAML list that is no text: what YAML takes it for (``a number``).
    presence
        ``maybe`` when a condition decides whether the word is there.
    with_defaults
        for a ``maybe`` word of a chart: whether it is there with the chart's own values; None when that is not known.
    many
        a hole: stands for zero to n unknown words (``"$@"``, ``$EXTRA``).
    used_at
        for words from an array or string variable: where the launch uses it.
    handle
        the host's own key for editing this word; opaque to everybody else.
    """

    text: str | None
    span: Span
    mapped: Mapped | None = None
    presence: Presence = "yes"
    many: bool = False
    defined_at: tuple[Definition, ...] = ()
    used_at: Place | None = None
    path: str | None = None
    handle: Any = None
    unknown: tuple[tuple[int, int], ...] = ()
    stated: Span | None = None
    read_as: str | None = None
    with_defaults: Literal["yes", "no"] | None = None

    @property
    def known_prefix(self) -> str:
        """The text before the first unknown piece: enough to tell ``--tp-size=$TP`` is ``--tp-size``."""
        if self.text is not None:
            return self.text
        if self.mapped is None or not self.unknown:
            return ""
        return self.mapped.text[: self.unknown[0][0]]

    def span_of(self, start: int, end: int | None = None) -> Span:
        """Source span of a part of the decoded text."""
        return self.span if self.mapped is None else self.mapped.span(start, end)


@dataclass(frozen=True)
class Evidence:
    """A value read from the surroundings and where it came from.

    ``source`` uses the vocabulary of the extraction cases: ``directive``, ``image tag``, ``node label``,
    ``resources.limits``, ``pip`` ... and ``setting`` or ``command line`` for what the user set.
    """

    value: Any
    source: str
    place: Place | None = None


@dataclass(frozen=True)
class EnvVar:
    """An environment variable the launch adds; ``value`` None when handed through or kept in a secret.

    ``mapped``: the value with its characters' places, where other variables gave parts of it.
    """

    name: str
    value: str | None
    place: Place | None = None
    mapped: Mapped | None = None


@dataclass(frozen=True)
class Image:
    """A container image reference. ``tag`` is the part after the last colon, with its own span; None without one.

    ``is_assembled``: the tag is put together from pieces, so that another cannot be written in its place.
    """

    text: str
    place: Place
    tag: str | None = None
    tag_place: Place | None = None
    is_assembled: bool = False


@dataclass(frozen=True)
class Ignore:
    """``# sglint: ignore[SGL101, ...] reason``. ``place`` is the directive; empty ``codes`` hold for every rule."""

    codes: tuple[str, ...]
    place: Place
    reason: str = ""


@dataclass(frozen=True)
class Directives:
    """What ``# sglint:`` comments say for a launch. ``ignores`` are those on or above its first line."""

    release: Evidence | None = None
    gpu: Evidence | None = None
    model: Evidence | None = None
    draft: Evidence | None = None
    ignores: tuple[Ignore, ...] = ()
    gpu_count: Evidence | None = None


@dataclass(frozen=True)
class RemoveOption:
    """Take every occurrence of these words out: a flag word and the value words bound to it."""

    words: tuple[Word, ...]


@dataclass(frozen=True)
class SetValue:
    """Give a flag another value. ``words`` are the flag's words as bound (one for ``--flag=value``).

    ``becomes``: what the value comes to, where variables in it are meant to be expanded by what expands the
    notation's words.
    """

    words: tuple[Word, ...]
    value: str
    becomes: str | None = None


@dataclass(frozen=True)
class RenameFlag:
    """Spell the flag of ``word`` as ``flag``; its value stays."""

    word: Word
    flag: str


@dataclass(frozen=True)
class AddOption:
    """Append ``flag`` (with ``value`` unless None) after the launch's last option, in the notation in use there."""

    flag: str
    value: str | None = None


@dataclass(frozen=True)
class SetImageTag:
    tag: str


Change = RemoveOption | SetValue | RenameFlag | AddOption | SetImageTag


class CannotEdit(Exception):
    """The text at hand cannot be edited safely; the message says why, for the user."""


class Editor(Protocol):
    """Turns changes of one launch into text edits of its notation."""

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Minimal edits for all changes together. Raises :class:`CannotEdit`."""
        ...


class Merging(Protocol):
    """Makes the words of a ``--config`` file as a release merges them."""

    @property
    def release(self) -> str:
        """The release in the catalogue whose merger made the words at hand."""
        ...

    def words(self, release: str) -> tuple[Word, ...]:
        """The words as ``release``, one of the catalogue, makes them."""
        ...


@dataclass(frozen=True)
class Launch:
    """One start of a server.

    host, launcher
        vocabulary of the extraction cases: host ``kubernetes``, ``yaml``, ``helm-values``, ``shell`` ...; launcher
        ``launch_server``, ``serve``, ``dynamo.sglang``, ``config``, ``none`` ...
    span, launcher_span
        the whole launch; the launcher word (None where there is none, or another file of the chart has it: then
        ``launcher_there`` is its place).
    words
        the words after the launcher word, in argv order. Map keys stand as words ``--key``.
    directives
        from comments; the nearest evidence of release, GPU and model.
    release, gpu, gpu_count
        nearest evidence found in the file by the host; directives already win here.
    memory_limit
        host memory that the container may use, bytes; None where nothing limits it.
    config_file
        for a ``config`` launch that a file holds under a name (a ConfigMap's ``serve.yaml``): that name.
    config
        the words of the file that its ``--config`` names, as the release's merger makes them; None where the launch
        names none, or one that is not found.
    merging
        for a ``config`` launch of a ``--config`` file, and for the words in ``config``: what makes them anew.
    is_read
        for a ``config`` launch: a launch of the same document has its words, and is judged with them.
    printed_by
        for a launch told from the values of a chart: the template that prints it.
    dropped
        texts that look like words of it and add none.
    unexpanded
        variables that its container declares and that stay names where a word writes ``$NAME`` or ``${NAME}``.
    mounted
        its words stand in a ConfigMap's script, which the container it stands for starts.
    structure
        where it stands by names, as ``Deployment/prod/llm: spec.template.spec.containers[server]``; None where the
        notation has no names.
    """

    host: str
    launcher: str
    span: Span
    launcher_span: Span | None
    words: tuple[Word, ...]
    editor: Editor
    env: tuple[EnvVar, ...] = ()
    image: Image | None = None
    directives: Directives = field(default_factory=Directives)
    release: Evidence | None = None
    gpu: Evidence | None = None
    gpu_count: Evidence | None = None
    role: str | None = None
    container: str | None = None
    config_file: str | None = None
    config: tuple[Word, ...] | None = None
    merging: Merging | None = None
    is_read: bool = False
    printed_by: str | None = None
    structure: str | None = None
    dropped: tuple[Dropped, ...] = ()
    unexpanded: tuple[EnvVar, ...] = ()
    launcher_there: Place | None = None
    memory_limit: Evidence | None = None
    mounted: bool = False

    def as_merged_by(self, release: str) -> Launch:
        """The launch with the words that ``release``, one of the catalogue, makes of its ``--config`` file."""
        if self.merging is None or self.merging.release == release:
            return self
        words = self.merging.words(release)
        return replace(self, words=words) if self.launcher == "config" else replace(self, config=words)

    def names_config(self, other: Launch) -> bool:
        """Whether this launch's ``--config`` names the file that ``other`` is."""
        if other.config_file is None:
            return False
        texts = [word.text or "" for word in self.words]
        paths = [path for flag, path in pairwise(texts) if flag == "--config"]
        return any(path.rpartition("/")[2] == other.config_file for path in paths)


@dataclass(frozen=True)
class Dropped:
    """Text that looks like words of a launch and adds none (``enable-metrics: false`` of a map)."""

    why: str
    text: str
    place: Place


@dataclass(frozen=True)
class NotLaunch:
    """A place that names a launcher and starts no SGLang server (router, benchmark, ``pkill``)."""

    program: str
    span: Span


@dataclass(frozen=True)
class Problem:
    """Something about the file itself: it does not parse, a document is broken, a limit was met.

    ``code`` is an ``SGL0xx`` code, ``severity`` as in findings.
    """

    code: str
    name: str
    severity: Literal["error", "warning", "info", "hint"]
    message: str
    span: Span


@dataclass(frozen=True)
class Reading:
    """What a host found in one document. ``ignores`` are the directives that hold for the whole file."""

    document: Document
    launches: tuple[Launch, ...] = ()
    not_launches: tuple[NotLaunch, ...] = ()
    problems: tuple[Problem, ...] = ()
    ignores: tuple[Ignore, ...] = ()
