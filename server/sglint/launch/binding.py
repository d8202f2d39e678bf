"""Options take their values: the second half of reading a command line as ``argparse`` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ..catalogue import Flag, FlagTable, Nargs
from ..records import replace
from ..text import Span
from .model import Presence, Word
from .options import Option, ParseProblem
from .tokens import Token
from .values import ValueReader, head_of, of_argument


class Binder:
    """Walks classified words once. ``complete``: no option can stand anywhere but in these words."""

    def __init__(
        self, tokens: Sequence[Token], table: FlagTable, implied: Sequence[Option] = (), complete: bool = True
    ) -> None:
        self.tokens = tokens
        self.table = table
        self.options: list[Option] = []
        self.positional: list[Word] = []
        self.holes: list[Word] = []
        self.ambiguities: list[ParseProblem] = []
        self.values = ValueReader()
        self.problems = self.values.problems
        self._refused: list[ParseProblem] = []
        self._last = {option.dest: option for option in implied}
        self._extras: list[str] = []
        self._open = not complete
        self._after: Option | None = None
        self._shadowed = False

    def run(self) -> None:
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.kind == "O":
                self._shadowed = False
                index = self._option(token, index + 1)
                continue
            if token.kind == "H" or _may_be_option(token.word):
                self.holes.append(token.word)
                self._shadowed = self._open = True
            else:
                self._stray(token)
            index += 1

    def leftover(self) -> list[ParseProblem]:
        """Words that nothing takes; the parser refuses them together, after everything else."""
        head = head_of(f"unrecognized arguments: {' '.join(self._extras)}")
        return [replace(problem, head=head) for problem in self._refused]

    def required(self) -> list[ParseProblem]:
        """Required options that nothing in sight could give."""
        if self._open:
            return []
        missing = [flag for flag in self.table.required if flag.dest not in self._last]
        names = ", ".join("/".join(flag.names) for flag in missing)
        head = head_of(f"the following arguments are required: {names}")
        span = self.tokens[0].word.span if self.tokens else Span(0, 0)
        return [ParseProblem("required", span, None, flag, head, f"`{flag.names[0]}` is required") for flag in missing]

    # words that nothing takes ------------------------------------------------------------------------------

    def _stray(self, token: Token) -> None:
        word = token.word
        self.positional.append(word)
        self._extras.append(_text(word))
        if self._shadowed or word.presence == "maybe" or word.text is None:
            return
        self._shadowed = token.kind == "-"
        kind = "unexpected-word"
        flag: Flag | None = None
        candidates: tuple[str, ...] = ()
        written = word.text.split(None, 1)[0] if word.text.strip() else ""
        if written.startswith("--") and written != word.text:
            names = self.table.candidates(written.partition("=")[0])
            if names:
                kind, flag, candidates = "joined-words", self.table.by_name[names[0]], names
        elif self._after is not None and self._after.flag is not None and not self._after.raw:
            kind, flag = "surplus-value", self._after.flag
        self._refuse_word(kind, word, word.span, flag, f"nothing takes the word `{word.text}`", candidates)

    def _refuse_word(
        self, kind: str, word: Word, span: Span, flag: Flag | None, detail: str, candidates: tuple[str, ...] = ()
    ) -> None:
        fatal = word.presence == "yes"
        self._refused.append(ParseProblem(kind, span, word, flag, "", detail, candidates, fatal))

    # options -----------------------------------------------------------------------------------------------

    def _option(self, token: Token, index: int) -> int:
        if token.flag is None:
            return self._unknown(token, index)
        if token.explicit:
            option = self._explicit(token, token.flag)
        else:
            taken = self._take(token.flag, index)
            option = self._bound(token, token.flag, taken, index)
            index += len(taken)
        self._remark(token, token.flag)
        self._keep(option)
        return index

    def _unknown(self, token: Token, index: int) -> int:
        """An option the release does not know, or cannot tell; it is taken to own the argument that follows."""
        word = token.word
        written, span = _text(word)[: token.given], word.span_of(0, token.given)
        values: list[Word] = []
        raw: tuple[str | None, ...] = ()
        value_span = None
        if token.explicit:
            raw, value_span = (self._joined_value(token),), word.span_of(token.given + 1)
        elif index < len(self.tokens) and self.tokens[index].kind == "A":
            values = [self.tokens[index].word]
            raw, value_span = (values[0].text,), values[0].span
        if token.candidates:
            matches = ", ".join(token.candidates)
            detail = f"`{written}` could be {matches}"
            head = head_of(f"ambiguous option: {word.text or written} could match {matches}")
            fatal = word.presence == "yes"
            self.ambiguities.append(ParseProblem("ambiguous", span, word, None, head, detail, token.candidates, fatal))
        else:
            detail = f"this release has no option `{written}`"
            self._extras += [_text(taken) for taken in (word, *values)]
            self._refuse_word("unknown-flag", word, span, None, detail)
        presence = _presence([word, *values])
        self.options.append(Option(written, None, raw, None, False, (word, *values), presence, span, value_span))
        self._after, self._shadowed = None, not token.explicit
        return index + len(values)

    def _explicit(self, token: Token, flag: Flag) -> Option:
        text = self._joined_value(token)
        start = token.given + (0 if token.name == "-h" else 1)
        span = token.word.span_of(start)
        if flag.nargs == 0 or (isinstance(flag.nargs, int) and flag.nargs > 1):
            if flag.nargs == 0:
                shown = "" if text is None else repr(text)
                message, kind = f"ignored explicit argument {shown}", "surplus-value"
            else:
                message, kind = f"expected {flag.nargs} arguments", "missing-value"
            detail = f"`{token.name}` takes no value" if flag.nargs == 0 else message
            self.values.refuse(kind, span, token.word, flag, of_argument(flag, message), detail)
            return self._made(token, flag, (text,), None, False, (token.word,), span)
        value, known = self.values.read(token, flag, [(token.word, text, start)])
        return self._made(token, flag, (text,), value, known, (token.word,), span)

    @staticmethod
    def _joined_value(token: Token) -> str | None:
        text = token.word.text
        return None if text is None else text[token.given + (0 if token.name == "-h" else 1) :]

    def _take(self, flag: Flag, index: int) -> list[Word]:
        """The argument words that follow and that the option takes."""
        most = _capacity(flag.nargs)
        words: list[Word] = []
        while len(words) < most and index < len(self.tokens) and self.tokens[index].kind == "A":
            words.append(self.tokens[index].word)
            index += 1
        return words

    def _bound(self, token: Token, flag: Flag, values: list[Word], index: int) -> Option:
        end = index + len(values)
        open_end = end < len(self.tokens) and self.tokens[end].kind == "H"
        words = (token.word, *values)
        raw = tuple(word.text for word in values)
        span = _hull(values)
        if len(values) < _least(flag.nargs):
            if not open_end:
                message, detail = _expected(flag, token.name)
                self.values.refuse("missing-value", self._flag_span(token), token.word, flag, message, detail)
            return self._made(token, flag, raw, None, False, words, span)
        doubt = self._first_doubt(flag, values)
        value, known = self.values.read(token, flag, [(word, word.text, 0) for word in values[:doubt]])
        if doubt < len(values) or (open_end and len(values) < _capacity(flag.nargs)):
            known = False
        return self._made(token, flag, raw, value if known else None, known, words, span)

    def _first_doubt(self, flag: Flag, values: Sequence[Word]) -> int:
        """Where the values end for certain: an unknown word among those that need not be there may be an option."""
        least = _least(flag.nargs)
        for index, word in enumerate(values):
            if index >= least and _may_be_option(word):
                self._open = self._shadowed = True
                return index
        return len(values)

    # records -----------------------------------------------------------------------------------------------

    def _made(
        self,
        token: Token,
        flag: Flag,
        raw: tuple[str | None, ...],
        value: Any,
        known: bool,
        words: tuple[Word, ...],
        span: Span | None,
    ) -> Option:
        written = _text(token.word)[: token.given]
        flag_span = self._flag_span(token)
        value_span = token.word.stated if span is None else span
        return Option(written, flag, raw, value, known, words, _presence(words), flag_span, value_span)

    @staticmethod
    def _flag_span(token: Token) -> Span:
        return token.word.span_of(0, token.given)

    def _keep(self, option: Option) -> None:
        flag = option.flag
        assert flag is not None
        earlier = self._last.get(flag.dest)
        if earlier is not None and flag.action not in ("append", "extend"):
            self._compare(earlier, option, flag)
        self.options.append(option)
        self._last[flag.dest] = option
        self._after = option

    def _compare(self, earlier: Option, option: Option, flag: Flag) -> None:
        sure = earlier.presence == option.presence == "yes" and earlier.known and option.known
        if sure and earlier.value != option.value:
            detail = f"`{earlier.written}` is set again later, and the last one counts"
            span, word = earlier.flag_span, earlier.words[0]
            self.problems.append(ParseProblem("repeated", span, word, flag, "", detail, (option.written,), False))

    def _remark(self, token: Token, flag: Flag) -> None:
        word, span = token.word, self._flag_span(token)
        written = _text(word)[: token.given]
        if token.name != written and token.name is not None:
            detail = f"`{written}` is an abbreviation of `{token.name}`"
            self.problems.append(ParseProblem("abbreviation", span, word, flag, "", detail, (token.name,), False))
        if flag.deprecated and flag.refusal is None:
            instead = f"; use `{flag.replacement}`" if flag.replacement else ""
            names = (flag.replacement,) if flag.replacement else ()
            detail = f"`{token.name}` is deprecated in this release{instead}"
            self.problems.append(ParseProblem("deprecated", span, word, flag, "", detail, names, False))
        if flag.dest == "config" and (token.explicit or written != "--config"):
            detail = "the file is read only when `--config` and its path are two words"
            self.problems.append(ParseProblem("config-not-merged", span, word, flag, "", detail, (), False))


def _text(word: Word) -> str:
    """What is known of a word, from its beginning on."""
    return word.known_prefix


def _may_be_option(word: Word) -> bool:
    """Whether nothing is known of a word that would keep it from being an option."""
    return word.text is None and (not word.known_prefix or word.known_prefix.startswith("-"))


def _least(nargs: Nargs) -> int:
    if isinstance(nargs, int):
        return nargs
    return 1 if nargs in (None, "+") else 0


def _capacity(nargs: Nargs) -> int:
    if isinstance(nargs, int):
        return nargs
    return 1 if nargs in (None, "?") else sys.maxsize


def _expected(flag: Flag, name: str | None) -> tuple[str, str]:
    if isinstance(flag.nargs, int):
        needed = f"{flag.nargs} argument{'s' if flag.nargs != 1 else ''}"
    else:
        needed = "one argument" if flag.nargs is None else "at least one argument"
    return of_argument(flag, f"expected {needed}"), f"`{name}` needs a value"


def _presence(words: Sequence[Word]) -> Presence:
    return "maybe" if any(word.presence == "maybe" for word in words) else "yes"


def _hull(words: Sequence[Word]) -> Span | None:
    """The stretch of several value words; the first word's when they stand in different files."""
    if not words:
        return None
    span = words[0].span
    for word in words[1:]:
        if word.path == words[0].path:
            span = span.hull(word.span)
    return span
