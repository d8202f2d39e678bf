"""The words of a launch as a release's own parser (``argparse``, abbreviations allowed) takes them.

Like ``argparse``: all words are classified first, so that an ambiguous abbreviation anywhere is what the parser
reports; then options take their values from left to right; then required options are looked for; then words that
nothing took are refused together. Unlike it, reading goes on after an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..catalogue import Flag, FlagTable, ReleaseRange
from ..text import Mapped, Span
from .binding import Binder
from .config_file import UnsupportedKey, check_key
from .model import Word
from .options import Option, Parsed, ParseProblem
from .values import head_of

POSITIONAL_MODEL = ReleaseRange.parse(">=0.5.16")
"""Releases whose ``sglang serve`` takes the model as its first word (sglang/cli/serve.py)."""


@dataclass(frozen=True)
class Token:
    """A classified word. ``kind``: ``O`` option, ``A`` argument, ``-`` the double dash, ``H`` a hole.

    ``name`` is the option string it resolves to, ``given`` the length of the option part as written; ``explicit``
    whether a value is joined by ``=`` (or to ``-h``). ``candidates`` are all names an ambiguous word could mean.
    """

    word: Word
    kind: str
    name: str | None = None
    flag: Flag | None = None
    given: int = 0
    explicit: bool = False
    candidates: tuple[str, ...] = ()


def words_of(argv: Sequence[str]) -> tuple[Word, ...]:
    """Words of a command line. Spans refer to ``" ".join(argv)``."""
    words, start = [], 0
    for text in argv:
        words.append(Word(text, Span(start, start + len(text)), Mapped.identity(text, start)))
        start += len(text) + 1
    return tuple(words)


def parse(
    words: Sequence[Word], table: FlagTable, *, serve: bool = False, config: Sequence[Word] | None = None
) -> Parsed:
    """Options, left-over words and problems, in the order in which the release would meet them.

    ``serve``: the words follow ``sglang serve`` (a first word without dash is the model, ``--model-type`` is taken
    out). ``config``: the words of the file that ``--config`` names, as the release's merger makes them; without
    it, a ``--config FILE`` counts as a hole.
    """
    remarks: list[ParseProblem] = []
    positional: tuple[Word, ...] = ()
    implied: tuple[Option, ...] = ()
    if serve:
        words = _without_model_type(words)
        if words and POSITIONAL_MODEL.holds(table.release) and _is_model(words[0]):
            implied = _model_option(words[0], table)
            positional, words = (words[0],), words[1:]
    words, hidden = _merge_config(tuple(words), table, config, remarks)
    tokens = classify(words, table)
    binder = Binder(tokens, table, hidden, implied)
    binder.run()
    problems = (*remarks, *binder.ambiguities, *binder.problems, *binder.required(), *binder.leftover())
    return Parsed(
        table.release,
        (*implied, *binder.options),
        (*positional, *binder.positional),
        (*hidden, *binder.holes),
        problems,
    )


def classify(words: Sequence[Word], table: FlagTable) -> tuple[Token, ...]:
    """What each word is to the parser; everything after a lone ``--`` is an argument."""
    tokens: list[Token] = []
    ended = False
    for word in words:
        if word.many:
            tokens.append(Token(word, "H"))
        elif ended:
            tokens.append(Token(word, "A"))
        elif word.text == "--":
            ended = True
            tokens.append(Token(word, "-"))
        else:
            tokens.append(_token(word, table))
    return tuple(tokens)


def _token(word: Word, table: FlagTable) -> Token:
    text = word.text
    if text is None:
        known = word.known_prefix
        if not known.startswith("--"):
            return Token(word, "A")
        if "=" not in known:
            return Token(word, "H")
        text = known
    if not text.startswith("-") or len(text) == 1:
        return Token(word, "A")
    flag = table.by_name.get(text)
    if flag is not None:
        return Token(word, "O", text, flag, len(text))
    written, equals, _ = text.partition("=")
    flag = table.by_name.get(written) if equals else None
    if flag is not None:
        return Token(word, "O", written, flag, len(written), explicit=True)
    if text.startswith("--"):
        return _abbreviated(word, text, written, bool(equals), table)
    if text[:2] in table.by_name:
        return Token(word, "O", text[:2], table.by_name[text[:2]], 2, explicit=True)
    if _is_negative_number(text) or " " in text:
        return Token(word, "A")
    return Token(word, "O", given=len(written))


def _abbreviated(word: Word, text: str, written: str, explicit: bool, table: FlagTable) -> Token:
    names = table.candidates(written)
    if len(names) == 1:
        return Token(word, "O", names[0], table.by_name[names[0]], len(written), explicit)
    if names:
        return Token(word, "O", None, None, len(written), explicit, names)
    if " " in text:
        return Token(word, "A")
    return Token(word, "O", given=len(written), explicit=explicit)


def _is_negative_number(text: str) -> bool:
    """``-5``, ``-.5``, ``-5.5``: the parser has no option that looks like one, so they are arguments."""
    whole, dot, fraction = text[1:].partition(".")
    digits = fraction if dot else whole
    return digits.isdecimal() and (not whole or whole.isdecimal())


def _is_model(word: Word) -> bool:
    return not word.many and not word.known_prefix.startswith("-")


def _model_option(word: Word, table: FlagTable) -> tuple[Option, ...]:
    flag = table.by_name.get("--model-path")
    if flag is None:
        return ()
    known = word.text is not None
    return (
        Option(
            "--model-path", flag, (word.text,), word.text, known, (word,), word.presence, word.span, word.span, True
        ),
    )


def _without_model_type(words: Sequence[Word]) -> tuple[Word, ...]:
    kept: list[Word] = []
    skip = False
    for word in words:
        text = word.text or ""
        if skip:
            skip = False
        elif text == "--model-type":
            skip = True
        elif not text.startswith("--model-type="):
            kept.append(word)
    return tuple(kept)


def _merge_config(
    words: tuple[Word, ...], table: FlagTable, config: Sequence[Word] | None, remarks: list[ParseProblem]
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The words after the file of ``--config`` took its place in front, and the words whose file is not known.

    Source: 0.5.23, srt/utils/server_args_config_parser.py, ConfigArgumentMerger; only a separate word
    ``--config`` is noticed there, wherever it stands.
    """
    flag = table.by_name.get("--config")
    places = [index for index, word in enumerate(words) if word.text == "--config"] if flag else []
    if not places:
        return words, ()
    first = places[0]
    refusal = _config_refusal(words, places)
    if refusal is not None:
        word, head, detail = refusal
        remarks.append(_config_problem(word, flag, head, detail))
    if config is None or refusal is not None:
        return words, words[first : first + 2]
    remarks += config_problems(config, table)
    return (*config, *words[:first], *words[first + 2 :]), ()


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
    return ParseProblem("config", word.span, word, flag, head_of(head), detail)
