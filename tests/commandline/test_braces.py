"""JSON values that a shell takes apart, and those with a variable in them that it leaves whole."""

from __future__ import annotations

import pytest

from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, Sources

SCRIPT = "python3 -m sglang.launch_server --model-path a/b --kv-events-config "
POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
    - command: [python3, -m, sglang.launch_server, --model-path, a/b, --kv-events-config]
      args: ['{"publisher":"zmq","topic":"kv@$(NAME)"}']
"""


def codes(text: str, language: str = "shell") -> set[str]:
    name = "x.yaml" if language == "yaml" else "x.sh"
    report = lint(Document(name, text, language), Settings(release="0.5.18"), Sources.none())
    assert len(report.judged) == 1
    return {finding.code for finding in report.findings}


def test_braces_without_quotes_are_several_words() -> None:
    assert "SGL041" in codes(SCRIPT + '{"publisher":"zmq","topic":"kv"}\n')


@pytest.mark.parametrize(
    "value",
    [
        '"{\\"publisher\\":\\"zmq\\",\\"topic\\":\\"kv@$NAME\\"}"',
        """'{"publisher":"zmq","topic":"kv@'$NAME'"}'""",
        """'{"publisher":"zmq","topic":"kv@'"$(hostname)"'"}'""",
    ],
)
def test_a_variable_in_a_quoted_value_takes_nothing_apart(value: str) -> None:
    assert "SGL041" not in codes(SCRIPT + value + "\n")


def test_no_shell_reads_the_items_of_a_list() -> None:
    assert "SGL041" not in codes(POD, "yaml")
