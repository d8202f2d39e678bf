"""What ``sglang serve`` does with its words before the server's parser sees them.

Source: sglang/cli/serve.py and sglang/cli/utils.py, 0.5.5 to 0.5.23.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogue import FlagTable, ReleaseRange, diffusion_names
from ..records import dataclass
from ..text import Span
from .model import Word
from .options import Option, ParseProblem
from .values import head_of

POSITIONAL_MODEL = ReleaseRange.parse(">=0.5.16")
"""Releases that take a first word without dash for the model."""
MODEL_TYPE = ReleaseRange.parse(">=0.5.10")
"""Releases that take ``--model-type`` out, wherever it stands."""
_MODEL_FLAGS = ("--model-path", "--model")


@dataclass(frozen=True)
class Served:
    """The words left for the parser, the model given by position, and what ``serve`` itself refuses.

    ``diffusion``: words that send all others to the parser of the diffusion server, whose flags are other ones.
    """

    words: tuple[Word, ...]
    positional: tuple[Word, ...] = ()
    implied: tuple[Option, ...] = ()
    problems: tuple[ParseProblem, ...] = ()
    diffusion: tuple[Word, ...] = ()


def serve_words(words: Sequence[Word], table: FlagTable) -> Served:
    """Take the words of ``sglang serve`` apart.

    The model must be there by position or by a flag spelled out in full: ``serve`` looks for it before the parser
    runs, so neither an abbreviation nor a ``--config`` file helps.
    """
    asked, rest = _model_type(words) if MODEL_TYPE.holds(table.release) else (None, tuple(words))
    telling = tuple(word for word in rest if _is_for_diffusion(word, table)) if asked is None else ()
    if asked is not None and asked.known_prefix.endswith("diffusion"):
        telling = (asked,)
    if telling:
        return Served(rest, diffusion=telling)
    if rest and POSITIONAL_MODEL.holds(table.release) and _is_model(rest[0]):
        return Served(rest[1:], (rest[0],), _model_option(rest[0], table))
    if _may_name_model(rest):
        return Served(rest)
    span = rest[0].span if rest else Span(0, 0)
    head = head_of("Error: --model-path is required. Please provide the path to the")
    detail = "`sglang serve` needs `--model-path`, spelled out, in its own words"
    flag = table.by_name.get(_MODEL_FLAGS[0])
    return Served(rest, problems=(ParseProblem("required", span, None, flag, head, detail),))


def _may_name_model(words: Sequence[Word]) -> bool:
    for index, word in enumerate(words):
        known = word.known_prefix
        if word.many or known in ("-h", "--help") or known.startswith(tuple(f"{flag}=" for flag in _MODEL_FLAGS)):
            return True
        if word.text is None and not known:
            return True
        if known in _MODEL_FLAGS and index + 1 < len(words):
            return True
    return False


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


def _model_type(words: Sequence[Word]) -> tuple[Word | None, tuple[Word, ...]]:
    """The word by which ``--model-type`` asks for a server (None: the model decides), and the other words."""
    kept: list[Word] = []
    asked: Word | None = None
    takes = False
    for word in words:
        known = word.known_prefix
        if takes or known.startswith("--model-type="):
            asked, takes = word, False
        elif known == "--model-type":
            takes = True
        else:
            kept.append(word)
    by_model = asked is None or asked.known_prefix.rpartition("=")[2] in ("", "auto")
    return (None if by_model else asked), tuple(kept)


def _is_for_diffusion(word: Word, table: FlagTable) -> bool:
    """Whether the word is a flag that only the diffusion server has: the model must then be one of its kind."""
    name = word.known_prefix.partition("=")[0]
    return name.startswith("--") and not table.candidates(name) and name in diffusion_names()
