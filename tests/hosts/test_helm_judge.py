"""What we are certain of in a chart is what a real Helm renders (recorded by ``record_charts.py``)."""

from __future__ import annotations

import json
import shlex

import pytest

from sglint import hosts
from sglint.launch.model import Launch
from sglint.text import Document, Sources

from .chart_texts import ALL_CHARTS
from .record_charts import RECORD

ARGV: dict[str, list[list[str]]] = json.loads(RECORD.read_text(encoding="utf-8"))
ABOUT = "apiVersion: v2\nname: chart\nversion: 0.1.0\n"


def launch_of(name: str) -> Launch:
    files = {f"chart/{path}": text for path, text in {**ALL_CHARTS[name], "Chart.yaml": ABOUT}.items()}
    template = next(path for path in files if path.endswith("templates/pod.yaml"))
    reading = hosts.read(Document(template, files[template], "yaml"), Sources(files.get))
    assert reading.problems == ()
    (launch,) = reading.launches
    return launch


def words_of(argv: list[str]) -> list[str]:
    """The server's words of a container's argv, a shell's script split."""
    if argv[:2] == ["sh", "-c"]:
        argv = shlex.split(argv[2].replace("\\\n", ""))
    return argv[argv.index("sglang.launch_server") + 1 :]


@pytest.mark.parametrize("name", ALL_CHARTS)
def test_certain_words_are_rendered_in_that_order(name: str) -> None:
    (argv,) = ARGV[name]
    rest = iter(words_of(argv))
    for word in launch_of(name).words:
        if word.presence == "yes" and word.text is not None:
            assert word.text in rest, f"{word.text} is not among the words that follow"


@pytest.mark.parametrize("name", ALL_CHARTS)
def test_without_doubt_the_words_are_all_there_is(name: str) -> None:
    (argv,) = ARGV[name]
    words = launch_of(name).words
    if all(word.presence == "yes" and word.text is not None for word in words):
        assert [word.text for word in words] == words_of(argv)
    else:
        assert any(word.presence == "maybe" or word.text is None for word in words)


def test_most_words_are_certain() -> None:
    words = [word for name in ALL_CHARTS for word in launch_of(name).words]
    certain = [word for word in words if word.presence == "yes" and word.text is not None]
    assert len(certain) >= 0.8 * len(words)
