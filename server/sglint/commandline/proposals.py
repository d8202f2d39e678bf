"""Ways out of a problem of the command line: what was meant, as changes of the launch.

Proposals are candidates. Whoever offers them applies them to a copy of the text first, and drops those that leave the
problem or make a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .. import knowledge
from ..catalogue import FlagTable, load
from ..knowledge import Rename, Target
from ..knowledge.names import former_names
from ..launch.model import AddOption, Change, RemoveOption, RenameFlag, SetValue, Word
from ..launch.options import Option, Parsed, ParseProblem
from ..patterns import lazy
from ..records import dataclass
from ..rules.findings import Safety
from .json_repair import as_json, lost_quotes
from .literals import expandable, expanded
from .refine import owner_of, value_of, written_of

MOST = 3
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True)
class Proposal:
    """``changes`` of the launch that may solve a problem; ``safety`` as in fixes."""

    title: str
    changes: tuple[Change, ...]
    safety: Safety


@dataclass(frozen=True)
class _Case:
    """A problem with the option it is about."""

    problem: ParseProblem
    option: Option | None
    parsed: Parsed
    table: FlagTable

    @property
    def written(self) -> str:
        return written_of(self.problem)


def proposals(problem: ParseProblem, parsed: Parsed, table: FlagTable) -> Iterator[Proposal]:
    """Ways out of ``problem`` (one of ``parsed.problems`` as :func:`refined` tells them), best first."""
    make = _expanded if problem.literal else _MAKERS.get(problem.kind)
    if make is None or problem.word is None:
        return
    yield from make(_Case(problem, _option_of(problem, parsed), parsed, table))


def _option_of(problem: ParseProblem, parsed: Parsed) -> Option | None:
    assert problem.word is not None
    if problem.kind == "json-unquoted":
        return owner_of(problem.word, parsed)
    return next((option for option in parsed.options if problem.word in option.words), None)


# flags ---------------------------------------------------------------------------------------------------------


def _spelled(case: _Case) -> Iterator[Proposal]:
    """One proposal for each flag that may have been meant."""
    word = case.problem.word
    assert word is not None
    dashed = case.written.replace("_", "-")
    for name in case.problem.candidates[:MOST]:
        sure = case.problem.kind == "abbreviation" or name == dashed
        yield Proposal(f"Write {name}", (RenameFlag(word, name),), "safe" if sure else "changes-behaviour")


def _renamed(case: _Case) -> Iterator[Proposal]:
    renamed = knowledge.rename(case.written, case.table.release)
    if renamed is not None and case.option is not None:
        yield from _by_rename(renamed, case.option, case)


def _deprecated(case: _Case) -> Iterator[Proposal]:
    option = case.option
    if option is None or option.flag is None:
        return
    for name in option.flag.names:
        renamed = knowledge.deprecation(name, case.table.release)
        if renamed is not None:
            yield from _by_rename(renamed, option, case)
            return


def _by_rename(renamed: Rename, option: Option, case: _Case) -> Iterator[Proposal]:
    removal = RemoveOption(_own_words(option, renamed))
    if not renamed.targets:
        changes = (removal, *_also(renamed.also, case.parsed, case.table))
        title = f"Leave out {option.written}"
        if renamed.also:
            title += " and write " + ", ".join(renamed.also.values())
        yield Proposal(title, changes, "safe" if renamed.drop else "changes-behaviour")
        return
    title = "Write " + " and ".join(target.text for target in renamed.targets)
    given = [target for target in renamed.targets if case.parsed.of(case.table.by_name[target.flag].dest)]
    others = [target for target in given if option not in case.parsed.of(case.table.by_name[target.flag].dest)]
    if others:
        beside = f"Leave out {option.written}; {others[0].flag} is there"
        yield Proposal(beside, (removal,), "changes-behaviour")
        return
    first, *more = renamed.targets
    added = (*(AddOption(target.flag, target.value) for target in more), *_needed(renamed.needs, case.parsed))
    safety: Safety = "changes-behaviour" if renamed.loose else "safe"
    yield Proposal(title, (*_written_as(first, option, renamed.values), *added), safety)
    if first.value is not None:
        # A map has no place for a value joined to its key, so the flag moves to the end.
        yield Proposal(title, (removal, AddOption(first.flag, first.value), *added), safety)
    yield Proposal(f"Leave out {option.written}", (removal,), "changes-behaviour")


def _needed(needs: Mapping[str, str], parsed: Parsed) -> Iterator[Change]:
    """What a new name asks for and no word of the launch gives, under its present or a former name."""
    written = {option.flag.names[0] if option.flag else option.written for option in parsed.options}
    for flag, value in needs.items():
        if written.isdisjoint((flag, *former_names(flag))):
            yield AddOption(flag, value)


def _own_words(option: Option, renamed: Rename) -> tuple[Word, ...]:
    """The words of an option that a release no longer has: without what only stands behind a former switch."""
    if option.flag is not None or renamed.last is None:
        return option.words
    former = load(renamed.last).by_name.get(option.written)
    return option.words if former is None or former.takes_value else option.words[:1]


def _written_as(target: Target, option: Option, values: Mapping[str, str]) -> tuple[Change, ...]:
    """The option under another name; a flag that stood for a value gets it."""
    word = option.words[0]
    if target.value is not None:
        return (RenameFlag(word, target.text),)
    rename = RenameFlag(word, target.flag)
    value = values.get(option.raw[0] or "") if len(option.raw) == 1 else None
    if value is None:
        return (rename,)
    return (rename, SetValue(option.words, value))


def _also(names: Mapping[str, str], parsed: Parsed, table: FlagTable) -> Iterator[Change]:
    for old, new in names.items():
        flag = table.by_name.get(old)
        for option in parsed.of(flag.dest) if flag else ():
            yield RenameFlag(option.words[0], new)


def _later(case: _Case) -> Iterator[Proposal]:
    yield from _spelled(case)
    yield from _left_out(case)


def _foreign(case: _Case) -> Iterator[Proposal]:
    found = knowledge.foreign(case.written, case.table.release)
    option = case.option
    if found is None or option is None:
        return
    switch = found.drop or (found.target is not None and found.target.value is not None)
    words = option.words[:1] if switch or (option.raw and (option.raw[0] or "").startswith("--")) else option.words
    removal = Proposal(f"Leave out {option.written}", (RemoveOption(words),), "changes-behaviour")
    if found.drop:
        yield Proposal(removal.title, removal.changes, "safe")
    elif found.target is not None:
        if case.parsed.of(case.table.by_name[found.target.flag].dest):
            yield Proposal(f"{removal.title}; {found.target.flag} is there", removal.changes, "changes-behaviour")
            return
        safety: Safety = "safe" if found.same else "changes-behaviour"
        yield Proposal(f"Write {found.target.text}", _written_as(found.target, option, {}), safety)
        yield removal
    else:
        yield removal


def _left_out(case: _Case) -> Iterator[Proposal]:
    if case.option is not None:
        title = f"Leave out {case.option.written}"
        yield Proposal(title, (RemoveOption(case.option.words),), "changes-behaviour")


def _earlier_left_out(case: _Case) -> Iterator[Proposal]:
    if case.option is not None:
        title = f"Leave out the first {case.option.written}, which does not count"
        yield Proposal(title, (RemoveOption(case.option.words),), "safe")


def _split(case: _Case) -> Iterator[Proposal]:
    """``--flag value`` in one word: joined by ``=`` where it stands."""
    word = case.problem.word
    assert word is not None
    flag, _, value = (word.text or "").strip().partition(" ")
    if not value:
        yield Proposal(f"Write {flag} without the blank", (RenameFlag(word, flag),), "safe")
    elif value.strip() and "--" not in value and '"' not in value:
        yield Proposal(f"Write {flag}={value.strip()}", (RenameFlag(word, f"{flag}={value.strip()}"),), "safe")


def _two_words(case: _Case) -> Iterator[Proposal]:
    option = case.option
    if option is not None and len(option.raw) == 1 and option.raw[0]:
        changes = (RemoveOption(option.words), AddOption("--config", option.raw[0]))
        yield Proposal(f"Write --config {option.raw[0]} as two words", changes, "changes-behaviour")


# values --------------------------------------------------------------------------------------------------------


def _value_meant(case: _Case) -> Iterator[Proposal]:
    option = case.option
    if option is None or option.flag is None or len(option.raw) != 1:
        return
    value, accepted = value_of(case.problem), case.problem.candidates
    names = (knowledge.value_rename(name, value, case.table.release) for name in option.flag.names)
    renamed = next(filter(None, names), None)
    close = (renamed,) if renamed in accepted and renamed else knowledge.near_value(value, accepted)
    for choice in close:
        same = knowledge.same_value(choice, value)
        yield Proposal(f"Write {choice}", (SetValue(option.words, choice),), "safe" if same else "changes-behaviour")


def _expanded(case: _Case) -> Iterator[Proposal]:
    """A variable's name as a kubelet reads it."""
    option, variables = case.option, case.problem.literal
    if option is None or len(option.raw) != 1 or option.raw[0] is None:
        return
    if any(word.defined_at for word in option.words):
        return  # what another variable gives to the value would be written out
    value = expandable(option.raw[0], variables)
    title = "Write " + " and ".join(f"$({variable.name})" for variable in variables)
    yield Proposal(title, (SetValue(option.words, value, expanded(option.raw[0], variables)),), "changes-behaviour")


def _value_converted(case: _Case) -> Iterator[Proposal]:
    option = case.option
    if option is None or option.flag is None or len(option.raw) != 1 or option.raw[0] is None:
        return
    number = _number(option.raw[0], option.flag.type)
    if number is not None:
        yield Proposal(f"Write {number}", (SetValue(option.words, number),), "changes-behaviour")


_MULTIPLES = {"": 1, "k": 1000, "ki": 1024, "m": 1000**2, "mi": 1024**2}
_AMOUNT = lazy(r"(\d+)(?:[.,](\d+))?\s*(%|[kKmM]i?)?(?:[gG][iI]?[bB]?|tokens?)?")


def _number(text: str, kind: str) -> str | None:
    """What a number with a unit, a percent sign or a decimal comma stands for; None when that is not plain."""
    bare = text.strip().replace("_", "")
    match = _AMOUNT.fullmatch(bare)
    if match is None:
        return None
    whole, fraction, unit = match[1], match[2], match[3] or ""
    amount = float(f"{whole}.{fraction or 0}")
    if unit == "%":
        return repr(round(amount / 100, 6)) if kind == "float" else None
    amount *= _MULTIPLES[unit.lower()]
    if kind == "float":
        return f"{amount:g}"
    return str(int(amount)) if amount.is_integer() else None


def _surplus(case: _Case) -> Iterator[Proposal]:
    """A switch with a value: the value goes, or with a negative one the switch."""
    word, flag = case.problem.word, case.problem.flag
    assert word is not None
    if flag is None:
        return
    own = [option for option in case.parsed.options if option.flag is flag]
    joined = case.option is not None
    value = value_of(case.problem).lower()
    if joined and case.option is not None:
        switch = RemoveOption(case.option.words)
        on: tuple[Change, ...] = (switch, AddOption(flag.names[0]))
        off: tuple[Change, ...] = (switch,)
    else:
        on = (RemoveOption((word,)),)
        off = (RemoveOption((*own[-1].words, word)),) if own else on
    if value in _FALSE:
        yield Proposal(f"Leave out {flag.names[0]}", off, "safe")
        return
    yield Proposal(f"Write {flag.names[0]} alone", on, "safe" if value in _TRUE else "changes-behaviour")


def _word_left_out(case: _Case) -> Iterator[Proposal]:
    word = case.problem.word
    if word is not None and word.text is not None:
        yield Proposal(f"Leave out {word.text}", (RemoveOption((word,)),), "changes-behaviour")


def _json_requoted(case: _Case) -> Iterator[Proposal]:
    option = case.option
    word = case.problem.word
    if option is None or len(option.raw) > 1 or word is None:
        return
    words = option.words if word in option.words else (*option.words, word)
    text = lost_quotes(word) or as_json(word.text or "")
    if text is not None:
        title = "Write it as JSON, quoted as a whole"
        yield Proposal(title, (SetValue(words, text),), "safe")
        if word.text is None:
            yield Proposal(title, (RemoveOption(words), AddOption(option.written, text)), "safe")


def _quoted(case: _Case) -> Iterator[Proposal]:
    """The same value, which an editor of YAML writes as text."""
    word, option = case.problem.word, case.option
    if option is not None and word is not None and word.text is not None and option.words[1:] == (word,):
        yield Proposal(f'Write "{word.text}" in quotes', (SetValue(option.words, word.text),), "safe")


_MAKERS: Mapping[str, Callable[[_Case], Iterator[Proposal]]] = {
    "unknown-flag": _spelled,
    "ambiguous": _spelled,
    "abbreviation": _spelled,
    "removed-flag": _renamed,
    "later-flag": _later,
    "foreign-flag": _foreign,
    "deprecated": _deprecated,
    "retired": _deprecated,
    "repeated": _earlier_left_out,
    "joined-words": _split,
    "config-not-merged": _two_words,
    "choice": _value_meant,
    "type": _value_converted,
    "missing-value": _left_out,
    "surplus-value": _surplus,
    "unexpected-word": _word_left_out,
    "json": _json_requoted,
    "json-unquoted": _json_requoted,
    "not-text": _quoted,
}
