"""What we are certain of in a chart is what a real Helm renders (recorded by ``record_charts.py``)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath

import pytest

from sglint import hosts
from sglint.hosts import helm_chart, helm_syntax
from sglint.hosts.helm_render import Renderer, Template
from sglint.hosts.origins import HOLE, UNKNOWN
from sglint.launch.model import Launch, Word
from sglint.text import Document, Sources

from .chart_wild import OVER
from .record_charts import ABOUT, EXPRESSIONS, RECORD, charts
from .template_maker import VALUES

ARGV: dict[str, list[list[str]]] = json.loads(RECORD.read_text(encoding="utf-8"))
CHARTS = charts()
LAUNCHERS = ("sglang.launch_server", "serve")


@lru_cache
def launches_of(name: str) -> tuple[Launch, ...]:
    """The launches of a chart's templates; of a chart with a values file given, as that file tells them."""
    files = {f"chart/{path}": text for path, text in CHARTS[name].items()}

    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")})

    over = OVER.get(name)
    paths = [path for path in files if "/templates/" in path and path.endswith((".yaml", ".yml"))]
    found: list[Launch] = []
    for path in [f"chart/{over}"] if over else paths:
        reading = hosts.read(Document(path, files[path], "yaml"), Sources(files.get, names=names))
        assert reading.problems == ()
        found += reading.launches
    return tuple(launch for launch in found if launch.launcher in ("launch_server", "serve"))


def words_of(argv: Sequence[str]) -> list[str] | None:
    """The server's words of a container's argv, a shell's script split; None where it starts another program."""
    if argv[1:2] == ["-c"] or argv[1:2] == ["-lc"]:
        argv = shlex.split(argv[2].replace("\\\n", ""))
    launcher = next((place for place, word in enumerate(argv) if word in LAUNCHERS), None)
    return None if launcher is None else list(argv[launcher + 1 :])


def servers(name: str) -> list[tuple[str, list[str]]]:
    """Container names and words of what Helm renders."""
    found = ((argv[0], words_of(argv[1:])) for argv in ARGV[name])
    return [(container, words) for container, words in found if words is not None]


def rendered(launch: Launch, name: str) -> list[list[str]]:
    """What Helm renders of a launch: of a container with a known name, that one; else all."""
    found = servers(name)
    own = [words for container, words in found if container == launch.container]
    return own or [words for _, words in found]


def may_be(words: Sequence[Word], argv: Sequence[str]) -> bool:
    """Whether the argv is one that the words allow, with the conditions as the chart's own values answer them."""
    if not words:
        return not argv
    word, rest = words[0], words[1:]
    if word.presence == "maybe" and word.with_defaults != "yes":
        if may_be(rest, argv):
            return True
        if word.with_defaults == "no":
            return False
    if word.many:
        return any(may_be(rest, argv[skipped:]) for skipped in range(len(argv) + 1))
    return bool(argv) and is_text_of(word, argv[0]) and may_be(rest, argv[1:])


def is_text_of(word: Word, text: str) -> bool:
    return text == word.text if word.text is not None else text.startswith(word.known_prefix)


@pytest.mark.parametrize("name", CHARTS)
def test_what_helm_renders_is_what_the_words_allow(name: str) -> None:
    launches = launches_of(name)
    assert launches or not servers(name)
    for launch in launches:
        for argv in rendered(launch, name):
            assert may_be(launch.words, argv), [(word.text, word.presence, word.with_defaults) for word in launch.words]


@pytest.mark.parametrize("name", CHARTS)
def test_every_server_that_helm_renders_is_told(name: str) -> None:
    for _, argv in servers(name):
        assert any(may_be(launch.words, argv) for launch in launches_of(name))


def printed(expression: str) -> str:
    """What we print for an expression; private characters stand for what is not known."""
    files = {"chart/Chart.yaml": ABOUT["Chart.yaml"], "chart/values.yaml": VALUES}
    (chart,) = helm_chart.load(PurePath("chart"), Sources(files.get, names=lambda folder: []))
    text = f"<{{{{ {expression} }}}}>"
    pieces = Renderer(chart).render(Template("chart/templates/x.yaml", text, helm_syntax.parse(text)))
    return "".join(piece.text for piece in pieces)[1:-1]


def test_expressions_that_are_known_give_what_helm_prints() -> None:
    answers: dict[str, str] = json.loads(EXPRESSIONS.read_text(encoding="utf-8"))
    ours = {expression: printed(expression) for expression in answers}
    known = {key: text for key, text in ours.items() if UNKNOWN not in text and HOLE not in text}
    assert known == {key: answers[key] for key in known}
    assert len(known) >= 0.85 * len(answers) >= 0.85 * 400


def counts() -> tuple[int, int, int, int]:
    """Words that are certain, or decided by the chart's own values, of all; launches with such words only, of all."""
    certain = words = whole = launches = 0
    for name in CHARTS:
        for launch in launches_of(name):
            sure = [word.text is not None and (word.presence == "yes" or word.with_defaults) for word in launch.words]
            certain, words = certain + sum(map(bool, sure)), words + len(sure)
            whole, launches = whole + all(sure), launches + 1
    return certain, words, whole, launches


def certainty() -> str:
    certain, words, whole, launches = counts()
    return (
        f"certain: {certain} of {words} words, all words of {whole} of {launches} launches, in {len(CHARTS)} charts; "
        "each is what Helm renders"
    )


def test_most_words_are_certain() -> None:
    certain, words, whole, launches = counts()
    assert certain >= 0.9 * words
    assert whole >= 0.7 * launches


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('typeIs "float64" .Values.missing', "false"),
        ("typeOf .Values.map", "map[string]interface {}"),
        ('and (not (typeIs "float64" .Values.missing)) (or .Values.missing .Values.zero)', "0"),
        ("and .Release.Revision .Values.zero", UNKNOWN),
        ('"é1x" | trunc 3', "é1"),
        ('"é1x" | trunc -2', "1x"),
        ('"é1x" | trunc 1', UNKNOWN),
        ('substr 2 4 "é1x"', "1x"),
    ],
)
def test_expressions_about_what_is_missing_and_beyond_ascii(expression: str, text: str) -> None:
    assert printed(expression) == text
