"""Ways out of a problem of the command line."""

from __future__ import annotations

import pytest

from sglint import catalogue
from sglint.commandline.proposals import Proposal, proposals
from sglint.commandline.refine import refined
from sglint.launch import argv
from sglint.launch.model import AddOption, Change, RemoveOption, RenameFlag, SetValue
from sglint.launch.options import Parsed


def parsed(release: str, *words: str) -> Parsed:
    table = catalogue.load(release)
    return refined(argv.parse(argv.words_of(["--model-path", "m", *words]), table), table)


def ways(release: str, *words: str) -> list[Proposal]:
    result = parsed(release, *words)
    return [way for problem in result.problems for way in proposals(problem, result, catalogue.load(release))]


def applied(words: list[str], changes: tuple[Change, ...]) -> list[str]:
    """The argv after the changes, for words that stand one after the other."""
    starts = {}
    at = 0
    for index, word in enumerate(words):
        starts[at] = index
        at += len(word) + 1
    rows: list[list[str]] = [[word] for word in words]
    for change in changes:
        if isinstance(change, RemoveOption):
            for word in change.words:
                rows[starts[word.span.start]] = []
        elif isinstance(change, RenameFlag):
            row = rows[starts[change.word.span.start]]
            row[0] = change.flag + row[0][len(row[0].partition("=")[0]) :]
        elif isinstance(change, SetValue):
            first, *rest = change.words
            row = rows[starts[first.span.start]]
            if rest:
                rows[starts[rest[-1].span.start]] = [change.value]
            else:
                row[0] = f"{row[0].partition('=')[0]}={change.value}"
        elif isinstance(change, AddOption):
            rows.append([change.flag] + ([] if change.value is None else [change.value]))
    return [word for row in rows for word in row]


CASES = [
    ("0.5.20", "--cuda-graph-max-bs 64", "--cuda-graph-max-bs-decode 64", "safe"),
    ("0.5.20", "--cuda-graph-max-bs=64", "--cuda-graph-max-bs-decode=64", "safe"),
    ("0.5.20", "--nsa-prefill-cp-mode in-seq-split", "--cp-strategy zigzag", "safe"),
    ("0.5.20", "--disable-piecewise-cuda-graph", "--cuda-graph-backend-prefill=disabled", "safe"),
    ("0.5.20", "--prefill-round-robin-balance", "", "safe"),
    ("0.5.20", "--enable-nsa-prefill-context-parallel", "--enable-prefill-cp --cp-strategy interleave", "safe"),
    ("0.5.20", "--enable-prefill-context-parallel", "--enable-prefill-cp --cp-strategy zigzag", "safe"),
    ("0.5.10", "--mamba-radix-cache-strategy auto", "--mamba-scheduler-strategy auto", "changes-behaviour"),
    ("0.5.18", "--enable_metrics", "--enable-metrics", "safe"),
    ("0.5.18", "--mem-fractoin-static 0.8", "--mem-fraction-static 0.8", "changes-behaviour"),
    ("0.5.18", "--max-model-len 8192", "--context-length 8192", "safe"),
    ("0.5.18", "--gpu-memory-utilization 0.9", "--mem-fraction-static 0.9", "changes-behaviour"),
    ("0.5.18", "--enable-prefix-caching", "", "safe"),
    ("0.5.18", "--no-enable-prefix-caching", "--disable-radix-cache", "safe"),
    ("0.5.18", "--enforce-eager", "--disable-cuda-graph", "safe"),
    ("0.5.18", "--pp 2", "--pp-size 2", "changes-behaviour"),
    ("0.5.18", "--tp 2", "--tp-size 2", "safe"),
    ("0.5.18", "--attention-backend FA3", "--attention-backend fa3", "safe"),
    ("0.5.18", "--kv-cache-dtype=fp8", "--kv-cache-dtype=fp8_e4m3", "changes-behaviour"),
    ("0.5.18", "--mem-fraction-static 80%", "--mem-fraction-static 0.8", "changes-behaviour"),
    ("0.5.18", "--mem-fraction-static 0,8", "--mem-fraction-static 0.8", "changes-behaviour"),
    ("0.5.18", "--chunked-prefill-size 8k", "--chunked-prefill-size 8000", "changes-behaviour"),
    ("0.5.18", "--chunked-prefill-size 8Ki", "--chunked-prefill-size 8192", "changes-behaviour"),
    ("0.5.18", "--enable-metrics true", "--enable-metrics", "safe"),
    ("0.5.18", "--enable-metrics=True", "--enable-metrics", "safe"),
    ("0.5.18", "--enable-metrics false", "", "safe"),
    ("0.5.18", "--enable-metrics=0", "", "safe"),
    ("0.5.18", "--tp-size 2 --tp-size 4", "--tp-size 4", "safe"),
    ("0.5.18", "--tp-size 2 4", "--tp-size 2", "changes-behaviour"),
    ("0.5.18", "--preferred-sampling-params {'top_k':1,}", '--preferred-sampling-params {"top_k": 1}', "safe"),
    ("0.5.23", "--enable-dp-attention --dp-size 8", "--attn-dp-size 8", "safe"),
    (
        "0.5.20",
        "--disable-cuda-graph",
        "--cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill disabled",
        "changes-behaviour",
    ),
    ("0.5.20", "--disable-fast-image-processor", "--image-processor-backend=pil", "safe"),
]


@pytest.mark.parametrize(("release", "before", "after", "safety"), CASES)
def test_the_first_way_out(release: str, before: str, after: str, safety: str) -> None:
    words = ["--model-path", "m", *before.split()]
    first = ways(release, *before.split())[0]
    assert " ".join(applied(words, first.changes)) == " ".join(["--model-path", "m", *after.split(" ")]).strip()
    assert first.safety == safety


@pytest.mark.parametrize(("release", "before", "after", "safety"), CASES)
def test_the_first_way_out_solves_the_problem(release: str, before: str, after: str, safety: str) -> None:
    words = ["--model-path", "m", *before.split()]
    problem = parsed(release, *before.split()).problems[0]
    left = parsed(release, *applied(words, ways(release, *before.split())[0].changes)[2:]).problems
    assert problem.kind not in {remaining.kind for remaining in left}
    assert not [remaining for remaining in left if remaining.fatal]


def test_one_word_with_a_blank_is_joined_by_an_equals_sign() -> None:
    (way,) = ways("0.5.18", "--tp-size 2")
    assert [change.flag for change in way.changes if isinstance(change, RenameFlag)] == ["--tp-size=2"]


def test_what_the_new_name_asks_for_is_not_added_where_the_launch_has_it_under_an_old_name() -> None:
    words = ["--enable-nsa-prefill-context-parallel", "--nsa-prefill-cp-mode", "in-seq-split"]
    first = ways("0.5.20", *words)[0]
    assert [type(change) for change in first.changes] == [RenameFlag]


def test_a_successor_that_is_there_already_is_not_written_twice() -> None:
    first = ways("0.5.20", "--cuda-graph-max-bs", "64", "--cuda-graph-max-bs-decode", "32")[0]
    assert [type(change) for change in first.changes] == [RemoveOption]
    assert first.safety == "changes-behaviour"


@pytest.mark.parametrize("words", [["--frobnicate", "1"], ["--tp-size", "eight"], ["--watermark-config"]])
def test_nothing_is_guessed_where_nothing_is_near(words: list[str]) -> None:
    assert all(isinstance(change, RemoveOption) for way in ways("0.5.18", *words) for change in way.changes)
