"""The words of a launch as a release's own parser (``argparse``, abbreviations allowed) takes them.

Like ``argparse``: all words are classified first, so that an ambiguous abbreviation anywhere is what the parser
reports; then options take their values from left to right; then required options are looked for; then words that
nothing took are refused together. Unlike it, reading goes on after an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..catalogue import FlagTable
from ..records import replace
from ..text import Mapped, Span
from .binding import Binder
from .config_file import config_problems, merge_config
from .model import Word
from .options import Option, Parsed, ParseProblem
from .serve import Served, serve_words
from .tokens import classify


def words_of(argv: Sequence[str]) -> tuple[Word, ...]:
    """Words of a command line. Spans refer to ``" ".join(argv)``."""
    words, start = [], 0
    for text in argv:
        words.append(Word(text, Span(start, start + len(text)), Mapped.identity(text, start)))
        start += len(text) + 1
    return tuple(words)


def parse(
    words: Sequence[Word],
    table: FlagTable,
    *,
    serve: bool = False,
    config: Sequence[Word] | None = None,
    is_config: bool = False,
    complete: bool = True,
) -> Parsed:
    """Options, left-over words and problems, in the order in which the release would meet them.

    ``serve``: the words follow ``sglang serve`` (a first word without dash is the model, ``--model-type`` is taken
    out). ``config``: the words of the file that ``--config`` names, as the release's merger makes them; without
    it, a ``--config FILE`` counts as a hole. ``is_config``: the words are those of such a file by itself, whose
    keys are checked. ``complete``: no further words may come from elsewhere, as they may for such a file and other maps
    of flags.

    Of words that ``sglang serve`` hands to the diffusion server no problems are told; those that say so are holes.

    A problem is fatal when the release refuses the words with and without those that are only maybe there.
    """
    complete = complete and not is_config
    parsed = _parse(words, table, serve, config, is_config, complete)
    sure = [word for word in words if word.presence == "yes"]
    if len(sure) == len(words) or not any(problem.fatal for problem in parsed.problems):
        return parsed
    alone = _parse(sure, table, serve, config, is_config, complete)
    without = {(problem.kind, id(problem.word)) for problem in alone.problems}
    problems = (
        problem if (problem.kind, id(problem.word)) in without else replace(problem, fatal=False)
        for problem in parsed.problems
    )
    return replace(parsed, problems=tuple(problems))


def _parse(
    words: Sequence[Word],
    table: FlagTable,
    serve: bool,
    config: Sequence[Word] | None,
    is_config: bool,
    complete: bool,
) -> Parsed:
    served = serve_words(words, table) if serve else Served(tuple(words))
    if served.diffusion:
        return _of_diffusion_server(served, table)
    merged = merge_config(served.words, table, config)
    checked = config_problems(words, table) if is_config else ()
    binder = Binder(classify(merged.words, table), table, served.implied, complete=complete and not merged.hidden)
    binder.run()
    required = () if served.problems else binder.required()
    return Parsed(
        table.release,
        _with_config((*served.implied, *binder.options), words, merged.named),
        (*served.positional, *binder.positional),
        (*merged.hidden, *binder.holes),
        (
            *served.problems,
            *checked,
            *merged.problems,
            *_beyond(
                (*checked, *merged.problems), (*binder.ambiguities, *binder.problems, *required, *binder.leftover())
            ),
        ),
    )


def _beyond(stops: Sequence[ParseProblem], problems: Sequence[ParseProblem]) -> Iterator[ParseProblem]:
    """Problems of the parser, without values of keys at which the merger stops before it writes any."""
    stopped = {id(problem.flag) for problem in stops if problem.flag is not None}
    return (one for one in problems if one.kind != "surplus-value" or id(one.flag) not in stopped)


def _with_config(options: tuple[Option, ...], words: Sequence[Word], named: Option | None) -> tuple[Option, ...]:
    """``options`` with the ``--config`` that the merger took out, at its place among the launch's own words."""
    if named is None:
        return options
    places = {id(word): index for index, word in enumerate(words)}
    here = places[id(named.words[0])]
    at = next((index for index, one in enumerate(options) if places.get(id(one.words[0]), -1) > here), len(options))
    return (*options[:at], named, *options[at:])


def _of_diffusion_server(served: Served, table: FlagTable) -> Parsed:
    """Options as far as the names agree; nothing is refused, and what was not seen may still be meant."""
    binder = Binder(classify(served.words, table), table, complete=False)
    binder.run()
    return Parsed(table.release, tuple(binder.options), tuple(binder.positional), served.diffusion)
