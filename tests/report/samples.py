"""A report made by hand: one launch in a script with an emoji, one error with a fix, one problem of the file."""

from __future__ import annotations

from typing import Any, cast

from sglint.launch.model import Definition, EnvVar, Evidence, Launch, Place, Word
from sglint.launch.options import Option, Parsed
from sglint.report.run import Run, Skipped
from sglint.rules.findings import EvidenceAt, Finding, Fix, Judged, Related, Report, Verdict
from sglint.text import Document, Edit, Mapped, Span

TEXT = """\
#!/bin/bash
# 🚀 start
TP=2
python -m sglang.launch_server --model-path openai/gpt-oss-120b 🚀 \\
\t--enable-unified-memory --speculative-algorithm DSPARK --tp-size $TP
"""
PATH = "deploy/start.sh"
DOCUMENT = Document(PATH, TEXT, "shell")


def at(piece: str) -> Span:
    start = TEXT.rindex(piece)
    return Span(start, start + len(piece))


DEFINED = Place(Span(at("TP=2").end - 1, at("TP=2").end))


def word(text: str) -> Word:
    return Word(text, at(text), Mapped.identity(text, at(text).start))


def option(flag: str, value: str | None, written: str | None = None) -> Option:
    words = [word(flag)]
    if value is not None:
        words.append(Word(value, at(written or value), Mapped.whole(value, at(written or value))))
    spans = (words[0].span, words[1].span if value is not None else None)
    return Option(flag, None, () if value is None else (value,), value, True, tuple(words), "yes", *spans)


UNIFIED = option("--enable-unified-memory", None)
ALGORITHM = option("--speculative-algorithm", "DSPARK")
_tp = option("--tp-size", "2", "$TP")
TP = Option(
    "--tp-size",
    None,
    ("2",),
    2,
    True,
    (
        _tp.words[0],
        Word("2", at("$TP"), Mapped.whole("2", at("$TP")), defined_at=(Definition("TP", DEFINED),)),
    ),
    "yes",
    _tp.flag_span,
    _tp.value_span,
)
OPTIONS = (option("--model-path", "openai/gpt-oss-120b"), UNIFIED, ALGORITHM, TP)

LAUNCH = Launch(
    host="shell",
    launcher="launch_server",
    span=Span(TEXT.index("python"), len(TEXT) - 1),
    launcher_span=at("sglang.launch_server"),
    words=tuple(item for found in OPTIONS for item in found.words),
    editor=cast(Any, None),
    env=(EnvVar("TP", "2", DEFINED),),
    gpu=Evidence("h200", "directive", Place(at("start"))),
)
JUDGED = Judged(
    LAUNCH,
    Parsed("0.5.18", OPTIONS, positional=(word("🚀"),)),
    release=Evidence("0.5.18", "command line"),
    gpu=Evidence("h200", "directive", Place(at("start"))),
    gpu_count=None,
    model=Evidence("openai/gpt-oss-120b", "argument", Place(at("openai/gpt-oss-120b"))),
    draft=None,
    verdict=Verdict("refused", "pool-init", "SGL101", "UM-SEED", "Speculative decoding with", ("the draft",)),
    traits=("hybrid-swa",),
    model_facts="registry",
)
FIX = Fix(
    id="drop",
    title="Drop the unified pool",
    safety="changes-behaviour",
    edits=(Edit(at("--enable-unified-memory "), ""),),
    verified=True,
    effect={
        "full_tokens": {"before": 756607, "after": 779959},
        "swa_tokens": {"before": None, "after": 623967},
        "basis": "48.2 GiB for the pools",
    },
)
BY_HAND = Fix(id="move", title="Move to 0.5.20", safety="display-only", reason="no image tag to edit")
ERROR = Finding(
    code="SGL101",
    name="spec-on-unified-swa-pool",
    severity="error",
    stage="pool-init",
    message="The draft model's pool is refused on the unified pool of this model.",
    span=at("--enable-unified-memory"),
    path=PATH,
    launch=0,
    check="UM-SEED",
    releases=">=0.5.18,<0.5.20",
    decided_by=("args.enable_unified_memory", "model.hybrid_swa"),
    related=(Related(Place(at("--speculative-algorithm")), "asks for speculative decoding"),),
    evidence=(EvidenceAt("0.5.18", "srt/file.py", "Class.method"),),
    explanation=("The pool is one arena.", "virtual ids run to 1,361,891"),
    arithmetic=("virtual ids run to 1,361,891",),
    fixes=(FIX, BY_HAND),
)
FILE_PROBLEM = Finding("SGL005", "bad-directive", "hint", None, "This is no directive.", at("# 🚀 start"), PATH)
REPORT = Report(DOCUMENT, (JUDGED,), (FILE_PROBLEM, ERROR), abstained=2)
RUN = Run((REPORT,), seen=3, skipped=(Skipped("big.yaml", "larger than 10 MB"),), releases=("0.5.17", "0.5.18"))
