"""What a release's parser refuses, told with what is known beyond that release.

The parser says "no such flag"; whether the flag was renamed, comes later, belongs to another program or is misspelt
makes different findings with different ways out. :func:`refined` gives each its own kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from .. import knowledge
from ..catalogue import FlagTable, load, release_key, releases
from ..knowledge import Rename
from ..launch.model import EnvVar, Word
from ..launch.options import Option, Parsed, ParseProblem
from ..launch.values import HEAD
from ..records import replace
from .braces import brace_words, surplus_words, written_text
from .json_repair import lost_quotes


def refined(parsed: Parsed, table: FlagTable, known_flags: Sequence[str] = (), env: Sequence[EnvVar] = ()) -> Parsed:
    """``parsed`` with its problems told in full, and with remarks on the environment.

    ``known_flags`` are names or patterns of flags that a fork adds; they are no problem. ``env`` are the variables
    that the launch sets.
    """
    problems = [_refined(problem, table) for problem in parsed.problems if not _is_allowed(problem, known_flags)]
    more = (*_hidden_joins(parsed, table), *_expanded(parsed))
    return replace(parsed, problems=(*problems, *more, *_environment(env, parsed.release)))


def _is_allowed(problem: ParseProblem, known_flags: Sequence[str]) -> bool:
    if problem.kind not in ("unknown-flag", "ambiguous"):
        return False
    return any(fnmatchcase(written_of(problem), pattern) for pattern in known_flags)


def _hidden_joins(parsed: Parsed, table: FlagTable) -> Iterator[ParseProblem]:
    """``--flag value`` in one word right after an unknown flag, which the parser takes for that flag's value."""
    for option in parsed.options:
        if option.flag is not None or len(option.words) != 2 or option.raw[0] is None:
            continue
        word, written = option.words[1], option.raw[0].partition(" ")[0]
        names = table.candidates(written.partition("=")[0]) if written.startswith("--") else ()
        if names and written != option.raw[0]:
            head = f"unrecognized arguments: {option.written} {word.text}"[:HEAD]
            detail = f"nothing takes the word `{word.text}`"
            flag = table.by_name[names[0]]
            joined = ParseProblem("joined-words", word.span, word, flag, head, detail, names, word.presence == "yes")
            yield _joined(joined, table.release)


def _expanded(parsed: Parsed) -> Iterator[ParseProblem]:
    """JSON objects that the shell expands into several words, the second of which nothing takes."""
    for word in brace_words(parsed):
        option = owner_of(word, parsed)
        if option is not None and lost_quotes(word):
            detail = "the shell expands these braces into several words; put the whole value into single quotes"
            head = f"unrecognized arguments: {' '.join(surplus_words(written_text(word)))}"[:HEAD]
            yield ParseProblem("json-unquoted", word.span, word, option.flag, head, detail, (), word.presence == "yes")


def owner_of(word: Word, parsed: Parsed) -> Option | None:
    """The option that a word belongs to; of a word that stands for several, the flag right before it."""
    for option in parsed.options:
        if word in option.words:
            return option
    before = [
        option
        for option in parsed.options
        if not option.raw
        and option.flag is not None
        and option.flag.takes_value
        and option.words[0].path == word.path
        and option.words[0].span.end <= word.span.start
    ]
    return before[-1] if before else None


def written_of(problem: ParseProblem) -> str:
    """The flag as written, without a value joined to it."""
    return problem.word.known_prefix.partition("=")[0] if problem.word else ""


def _refined(problem: ParseProblem, table: FlagTable) -> ParseProblem:
    if problem.kind == "unknown-flag":
        return _unknown_flag(problem, table)
    if problem.kind == "ambiguous":
        return _ambiguous(problem, table)
    if problem.kind == "choice":
        return _choice(problem, table.release)
    if problem.kind == "json" and problem.word is not None and lost_quotes(problem.word):
        detail = "the shell took the quotes of this JSON away; put the whole value into single quotes"
        return replace(problem, kind="json-unquoted", detail=detail, span=problem.word.span)
    if problem.kind == "abbreviation":
        return _abbreviation(problem)
    if problem.kind == "deprecated":
        return _deprecated(problem, table.release)
    if problem.kind == "surplus-value" and problem.flag is not None and not written_of(problem).startswith("-"):
        return replace(problem, detail=f"`{problem.flag.names[0]}` is a switch, so {problem.detail}")
    if problem.kind == "joined-words":
        return _joined(problem, table.release)
    return problem


def _unknown_flag(problem: ParseProblem, table: FlagTable) -> ParseProblem:
    written, release = written_of(problem), table.release
    close = knowledge.near(written, table)
    if close and close[0] == written.replace("_", "-"):
        detail = f"SGLang {release} has no flag `{written}`: flags have dashes, so it is `{close[0]}`"
        return replace(problem, detail=detail, candidates=close[:1])
    renamed = knowledge.rename(written, release)
    if renamed is not None:
        return _removed(problem, renamed, f"SGLang {release} has no flag `{written}`")
    seen = knowledge.first_last(written)
    if seen is not None and release_key(seen[0]) > release_key(release):
        return _later(problem, written, seen[0], release)
    elsewhere = knowledge.foreign(written, release)
    if elsewhere is not None:
        text = f"`{elsewhere.target.text}`" if elsewhere.target else ""
        advice = _advice(text, elsewhere.drop, elsewhere.note)
        detail = f"`{written}` is a flag of {elsewhere.program}, not of SGLang{advice}"
        return replace(problem, kind="foreign-flag", detail=detail)
    meant = f"; perhaps {_either(close)} is meant" if close else ""
    return replace(problem, detail=f"SGLang {release} has no flag `{written}`{meant}", candidates=close)


def _removed(problem: ParseProblem, renamed: Rename, beginning: str) -> ParseProblem:
    assert renamed.last is not None
    order = releases()
    gone = order[order.index(renamed.last) + 1] if renamed.last in order[:-1] else None
    since = f", which left with {gone}" if gone else ""
    detail = f"{beginning}{since}{_advice(_instead(renamed), renamed.drop, renamed.note)}"
    names = tuple(target.flag for target in renamed.targets)
    return replace(problem, kind="removed-flag", detail=detail, candidates=names)


def _later(problem: ParseProblem, written: str, since: str, release: str) -> ParseProblem:
    older = knowledge.predecessor(written, release)
    advice = f"; here it is called `{older}`" if older else ""
    detail = f"SGLang {release} has no flag `{written}`, which comes with {since}{advice}"
    return replace(problem, kind="later-flag", detail=detail, candidates=(older,) if older else ())


def _ambiguous(problem: ParseProblem, table: FlagTable) -> ParseProblem:
    written = written_of(problem)
    renamed = knowledge.rename(written, table.release)
    if renamed is not None:
        beginning = f"SGLang {table.release} takes `{written}` for an ambiguous abbreviation; it was a flag"
        return _removed(problem, renamed, beginning)
    by_age = sorted(problem.candidates, key=_age)
    dests = [table.by_name[name].dest for name in by_age]
    by_age = [name for index, name in enumerate(by_age) if dests[index] not in dests[:index]]
    shown = ", ".join(f"`{name}`" for name in by_age)
    detail = f"SGLang {table.release} cannot tell which flag `{written}` is: {shown}"
    return replace(problem, detail=detail, candidates=tuple(by_age))


def _abbreviation(problem: ParseProblem) -> ParseProblem:
    """An abbreviation with what the newest release makes of it."""
    newest = load(releases()[-1])
    meant = newest.candidates(written_of(problem))
    if len(meant) == 1 and problem.flag is not None and meant[0] in problem.flag.names:
        return replace(problem, detail=f"{problem.detail}, which another release may read differently or refuse")
    fate = "takes it for ambiguous" if meant else "does not know it"
    return replace(problem, detail=f"{problem.detail}; SGLang {newest.release} {fate}")


def _age(name: str) -> tuple[tuple[int, ...], int, str]:
    """Oldest flag first: an abbreviation that became ambiguous meant the flag that was there before."""
    seen = knowledge.first_last(name)
    return (release_key(seen[0]) if seen else (), len(name), name)


def _joined(problem: ParseProblem, release: str) -> ParseProblem:
    text = problem.word.text or "" if problem.word else ""
    if text[:1].isspace():
        reason = "whose first blank a backslash keeps; a backslash at the end of a line has nothing behind it"
    else:
        reason = "with a blank in it, which is no flag"
    return replace(problem, detail=f"`{text.strip()}` reaches SGLang {release} as one word {reason}")


def _choice(problem: ParseProblem, release: str) -> ParseProblem:
    if problem.flag is None or problem.word is None:
        return problem
    name = problem.flag.names[0]
    value = value_of(problem)
    renamed = next(filter(None, (knowledge.value_rename(alias, value, release) for alias in problem.flag.names)), None)
    close = (renamed,) if renamed else knowledge.near_value(value, problem.candidates)
    close = tuple(choice for choice in close if choice in problem.candidates)
    detail = f"`{value}` is not among the values of `{name}` in SGLang {release}"
    offering = knowledge.releases_offering(name, value)
    if offering and release_key(offering[0]) > release_key(release):
        detail += f"; it comes with {offering[0]}"
    elif offering:
        detail += f"; {offering[-1]} was the last release to have it"
    if close:
        detail += f"; perhaps {_either(close)} is meant"
    rest = tuple(choice for choice in problem.candidates if choice not in close)
    return replace(problem, detail=detail, candidates=(*close, *rest))


def value_of(problem: ParseProblem) -> str:
    """The value a problem of a value is about, as decoded."""
    assert problem.word is not None
    text = problem.word.known_prefix
    return text.partition("=")[2] if text.startswith("--") else text


def _deprecated(problem: ParseProblem, release: str) -> ParseProblem:
    written = problem.flag.names[0] if problem.flag else written_of(problem)
    renamed = knowledge.deprecation(written, release)
    if renamed is None:
        return problem
    seen = knowledge.first_last(written)
    later = ""
    if seen is not None and seen[1] != releases()[-1]:
        later = f" and gone after {seen[1]}"
    detail = (
        f"`{written}` is deprecated in SGLang {release}{later}{_advice(_instead(renamed), renamed.drop, renamed.note)}"
    )
    return replace(problem, detail=detail, candidates=tuple(target.text for target in renamed.targets))


def _instead(renamed: Rename) -> str:
    if renamed.also:
        others = " and ".join(f"`{old}`" for old in renamed.also)
        return f"{_both(renamed.also.values())} in place of it and of {others}"
    return _both(target.text for target in renamed.targets)


def _both(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _advice(text: str, drop: bool, note: str) -> str:
    if text:
        return f": write {text}" + (f"; {note}" if note else "")
    if drop:
        return ": leave it out" + (f", since {note}" if note else "")
    return f"; {note}" if note else ""


def _either(names: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _environment(env: Sequence[EnvVar], release: str) -> Iterator[ParseProblem]:
    """Remarks on variables that some release reads and this one does not."""
    for variable in env:
        if not variable.name.startswith(("SGLANG_", "SGL_")) or variable.place is None:
            continue
        if knowledge.reads(variable.name, release) is not False:
            continue
        found = knowledge.env_reads(variable.name)
        if found is None:
            continue
        if release_key(found.first) > release_key(release):
            when = f"it is read from {found.first} on"
        else:
            when = f"{found.last} was the last release to read it"
        successor = knowledge.environment_rename(variable.name)
        advice = ""
        if successor is not None:
            advice = f"; {successor.to} took its place" if successor.to else f"; {successor.note}"
        detail = f"SGLang {release} does not read `{variable.name}`: {when}{advice}"
        span = variable.place.span
        word = Word(variable.name, span, path=variable.place.path)
        yield ParseProblem("env-not-read", span, word, None, "", detail, (), False)
