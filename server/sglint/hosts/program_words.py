"""What is known of a command line while its program is being looked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..launch.model import EnvVar, Evidence, Word
from ..records import dataclass, replace
from ..text import Span
from .evidence import mapped_of

Kind = Literal["prefix", "server", "shell", "stdin", "file", "other"]


@dataclass(frozen=True)
class Program:
    """The program a command line starts.

    kind
        ``server``: an SGLang server, ``name`` is the launcher in the vocabulary of the extraction cases and
        ``words`` are its arguments. ``shell``: a shell runs the text of ``script`` (several words are joined by
        blanks), ``words`` are the script's parameters from ``$0`` on. ``stdin``: an interpreter reads its standard
        input. ``file``: a shell runs the file named by the first word of ``script``. ``other``: something else,
        ``name`` says what. ``prefix``: only while looking.
    span
        of the launcher word or words; for others, of the word that names the program.
    env
        variables that wrappers set; ``fresh_env`` when the program runs in a container or on another machine,
        where the variables of the calling shell are not seen.
    image, image_file
        the container image reference, or the name of an image file.
    via
        the wrappers that change where the words run, outermost first (for people).
    """

    kind: Kind
    name: str
    span: Span | None
    words: tuple[Word, ...]
    script: tuple[Word, ...] = ()
    env: tuple[EnvVar, ...] = ()
    fresh_env: bool = False
    image: Word | None = None
    image_file: bool = False
    entrypoint: Word | None = None
    gpu: Evidence | None = None
    gpu_count: Evidence | None = None
    via: tuple[str, ...] = ()

    def becomes(
        self, kind: Kind, name: str, span: Span | None, words: Sequence[Word], script: Sequence[Word] = ()
    ) -> Program:
        """What was found behind the wrappers seen so far."""
        return replace(self, kind=kind, name=name, span=span, words=tuple(words), script=tuple(script))

    def prefix(self, words: Sequence[Word], **changes: Any) -> Program:
        """One wrapper further in."""
        return replace(self, words=tuple(words), **changes)


def server(before: Program, launcher: str, span: Span | None, words: Sequence[Word]) -> Program:
    return before.becomes("server", launcher, span, words)


def give_up(before: Program, name: str, span: Span | None, words: Sequence[Word] = ()) -> Program:
    """A program that is no server."""
    return before.becomes("other", name, span, words)


def text_of(word: Word) -> str:
    return word.text or ""


def tail(word: Word, start: int) -> Word:
    """The word without its first characters, which are known; a handle that can be cut is cut as well."""
    mapped = mapped_of(word).slice(start)
    unknown = tuple((first - start, last - start) for first, last in word.unknown)
    behind = getattr(word.handle, "behind", None)
    return replace(
        word,
        text=None if word.text is None else mapped.text,
        span=mapped.span(),
        mapped=mapped,
        unknown=unknown,
        handle=behind(start) if behind is not None else None,
    )


def basename(word: Word) -> str | None:
    """The last part of the program's path; None when the word is not known."""
    return None if word.text is None or word.many else word.text.rpartition("/")[2]
