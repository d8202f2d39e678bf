"""One launch: its words as options, its facts, and what the rules of its release say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import catalogue
from .. import rules as rule_files
from ..catalogue import FlagTable
from ..commandline.braces import needs_telling
from ..facts import Facts, Unknown
from ..launch import argv
from ..launch.model import EnvVar, Evidence, Launch
from ..launch.options import Parsed
from ..records import dataclass, replace
from ..resolution.space import DERIVED
from ..rules import RuleSet
from ..rules.build import Subject, findings_of
from ..rules.findings import Finding, Judged, Severity
from ..rules.judge import Judgement
from ..rules.places import Places
from ..settings import Settings
from ..text import Sources
from .inputs import ASSUMED, Remark, draft_of, hardware_of, model_of, release_of, release_remarks
from .judgements import Inputs, judgement_of

_NAMES = {
    "SGL013": "release-not-in-catalogue",
    "SGL014": "unknown-gpu",
    "SGL015": "model-config",
    "SGL016": "model-taken-for",
}
_SEVERITIES: Mapping[str, Severity] = {"SGL013": "info", "SGL014": "warning", "SGL015": "error", "SGL016": "info"}

FOREIGN = frozenset(("sglang_router.launch_server", "dynamo.sglang"))
"""Launchers that take flags of their own beside the server's."""

OF_WRAPPERS = frozenset(("unknown-flag", "unexpected-word", "foreign-flag"))
"""Kinds of problems that such a launcher may have an answer to."""

COMPLETE = frozenset(("launch_server", "serve"))
"""Launchers whose words are the whole command line, so that a required option that is missing is missing."""

MOST_PROBLEMS = 100
"""Words that a release refuses in one launch; the first ends it, and each costs a search through all releases."""


@dataclass(frozen=True)
class Judging:
    """A judged launch with what later steps need to know of it."""

    judged: Judged
    subject: Subject
    judgement: Judgement
    remarks: tuple[Remark, ...] = ()

    @property
    def starts(self) -> bool:
        """Whether the release accepts the launch and no rule is certain that it fails later."""
        fails = any(hit.firing.case.severity == "error" for hit in self.judgement.certain)
        return self.judged.verdict.status == "accepted" and not fails

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(findings(self))


class KnownFacts(Mapping[str, Any]):
    """The known ones among derived facts, by their name without ``resolved.``; computed when asked for."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def __getitem__(self, name: str) -> Any:
        full = f"resolved.{name}"
        if full not in DERIVED:
            raise KeyError(name)
        try:
            value = self._facts.look(full)
        except Exception:
            # A derivation that fails is told once, by the rule that needs it.
            raise KeyError(name) from None
        if isinstance(value, Unknown):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.pairs())

    def pairs(self) -> Iterator[tuple[str, Any]]:
        """Names with their values; ``items`` would look each of them up twice."""
        look = self._facts.look
        for full, name in _RESOLVED:
            try:
                value = look(full)
            except Exception:
                # As above.
                continue
            if not isinstance(value, Unknown):
                yield name, value

    def __len__(self) -> int:
        return sum(1 for _ in self)


_RESOLVED = tuple((full, full.removeprefix("resolved.")) for full in DERIVED)


def rules_for(settings: Settings) -> RuleSet:
    """The shipped rules, with the user's own where the settings name some."""
    return rule_files.load_with(settings.rules).rules if settings.rules else rule_files.load()


def parse_words(launch: Launch, release: str, known_flags: tuple[str, ...] = (), *, assumed: bool = False) -> Parsed:
    """The launch's words as the release's parser takes them, without problems that its launcher does not have.

    ``known_flags`` are flags that a fork adds. Of an ``assumed`` release it is not known what it reads of the
    environment.
    """
    table = catalogue.load(release)
    parsed = told(
        argv.parse(
            launch.words,
            table,
            serve=launch.launcher == "serve",
            config=launch.config,
            is_config=launch.host == "config-file",
            complete=launch.launcher != "config",
        ),
        table,
        known_flags,
        () if assumed else launch.env,
    )
    if launch.unexpanded and any(word.text and "$" in word.text for word in launch.words):
        from ..commandline.literals import with_literals

        parsed = with_literals(parsed, launch.unexpanded, by_kubelet=launch.host != "compose")
    if any(word.read_as is not None for word in launch.words):
        from ..commandline.not_text import with_not_text
        from ..hosts.yaml_words import BY_KUBELET

        parsed = with_not_text(parsed) if launch.host in BY_KUBELET else parsed
    problems = parsed.problems
    if launch.launcher in FOREIGN:
        problems = tuple(problem for problem in problems if problem.kind not in OF_WRAPPERS)
    if launch.launcher not in COMPLETE:
        problems = tuple(problem for problem in problems if problem.kind != "required")
    return parsed if problems is parsed.problems else replace(parsed, problems=problems)


def told(parsed: Parsed, table: FlagTable, known_flags: tuple[str, ...] = (), env: tuple[EnvVar, ...] = ()) -> Parsed:
    """``parsed`` with its problems, no more than anybody reads, told with what is known of all releases."""
    if len(parsed.problems) > MOST_PROBLEMS:
        parsed = replace(parsed, problems=parsed.problems[:MOST_PROBLEMS])
    if not needs_telling(parsed, env):
        return parsed
    # What is known of all releases takes time to read, and most launches have nothing that needs it.
    from ..commandline.refine import refined

    return refined(parsed, table, known_flags, env)


def judge_launch(
    launch: Launch,
    number: int,
    home: str,
    settings: Settings,
    sources: Sources,
    rules: RuleSet,
    release: Evidence | None = None,
) -> Judging:
    """Judge launch ``number`` of the document at ``home``; ``release`` overrides what the surroundings say."""
    release = release or release_of(launch, settings)
    assumed = release.source == ASSUMED
    read_by = catalogue.nearest(release.value)
    launch = launch.as_merged_by(read_by)
    parsed = parse_words(launch, read_by, settings.known_flags, assumed=assumed)
    model = model_of(launch, parsed, settings, sources, home)
    draft = draft_of(launch, parsed, settings, sources, home)
    hardware = hardware_of(launch, settings)
    # What else starts servers may spread one over several nodes without its words saying so.
    count = hardware.count.value if hardware.count and launch.launcher in COMPLETE else None
    environment = {variable.name: variable.value for variable in launch.env}
    limit = launch.memory_limit.value if launch.memory_limit else None
    facts, judgement = judgement_of(
        Inputs(rules, parsed, model.facts, draft.facts, hardware.gpu, count, environment, limit)
    )
    places = Places(launch, parsed, catalogue.load(parsed.release), home)
    subject = Subject(launch, number, home, parsed, facts, places, rules, _arithmetic(facts))
    remarks = (*release_remarks(release), *hardware.remarks, *model.remarks, *draft.remarks)
    judged = Judged(
        launch=launch,
        parsed=parsed,
        release=release,
        gpu=hardware.name,
        gpu_count=hardware.count,
        model=model.name,
        draft=draft.name,
        verdict=judgement.verdict,
        traits=model.facts.traits(parsed.release).names if model.facts else (),
        resolved=KnownFacts(facts),
        model_facts=model.source,
        facts=facts,
    )
    return Judging(judged, subject, judgement, remarks)


def findings(judging: Judging, *, explain: bool = True) -> Iterator[Finding]:
    """The findings of a launch. Without ``explain`` they lack the memory arithmetic, which takes time."""
    subject = judging.subject if explain else replace(judging.subject, arithmetic=tuple)
    yield from findings_of(subject, judging.judgement)
    for remark in judging.remarks:
        yield _of_remark(subject, remark)


def _arithmetic(facts: Facts) -> Callable[[], tuple[str, ...]]:
    """Memory is planned only for a finding that explains itself with it."""

    def made() -> tuple[str, ...]:
        from .arithmetic import sentences

        return sentences(facts)

    return made


def _of_remark(subject: Subject, remark: Remark) -> Finding:
    place = remark.place or subject.places.launch()
    return Finding(
        code=remark.code,
        name=_NAMES[remark.code],
        severity=_SEVERITIES[remark.code],
        stage=None,
        message=remark.message,
        span=place.span,
        path=place.path or subject.path,
        launch=subject.number,
    )
