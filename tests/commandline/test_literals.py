"""Variables of a container that its arguments name as a shell would."""

from __future__ import annotations

import pytest

from sglint.lint import lint
from sglint.rules.findings import Finding
from sglint.settings import Settings
from sglint.text import Document, apply_edits

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      env:
        - {name: MODEL, value: Qwen/Qwen3-8B}
        - {name: PORT, value: "8000"}
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}
        - {name: OTHER, value: "${FILLED_IN}"}
      command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3-8B]
      args: [ARGS]
"""


def findings(args: str, text: str = POD) -> list[tuple[str, str]]:
    """Code of each finding about the arguments, and the text it is placed at."""
    text = text.replace("ARGS", args)
    return [(found.code, text[slice(*found.span)]) for found in _found(text) if found.code in ("SGL023", "SGL801")]


def _found(text: str) -> tuple[Finding, ...]:
    return lint(Document("pod.yaml", text, "yaml"), Settings()).findings


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ('--served-model-name, "${MODEL}"', [("SGL801", "${MODEL}")]),
        ("--served-model-name, $MODEL", [("SGL801", "$MODEL")]),
        ('"--served-model-name=${MODEL}"', [("SGL801", "--served-model-name=${MODEL}")]),
        # The parser's own refusal is told once, with the reason.
        ('--port, "${PORT}"', [("SGL023", "${PORT}")]),
        # The kubelet's own way, and a dollar sign that is meant.
        ('--port, "$(PORT)"', []),
        ('--served-model-name, "$${X}"', []),
        ('--served-model-name, "$$(MODEL)"', []),
        # Two dollar signs are one to the kubelet, and what is left is a shell's.
        ('--served-model-name, "$${MODEL}"', [("SGL801", "$${MODEL}")]),
        ('--served-model-name, "a-$$MODEL"', [("SGL801", "a-$$MODEL")]),
        ('"--port=$${PORT}"', [("SGL023", "$${PORT}")]),
        # Somebody fills these in before the manifest is applied, or the cluster does; nobody declares it here.
        ('--served-model-name, "${TOKEN}"', []),
        ('--served-model-name, "${OTHER}"', []),
        ('--served-model-name, "${UNDECLARED}"', []),
    ],
)
def test_a_variable_that_stays_a_name(args: str, expected: list[tuple[str, str]]) -> None:
    assert findings(args) == expected


def test_a_shell_reads_its_own_variables() -> None:
    script = POD.replace(
        "[python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3-8B]",
        "[sh, -c, 'sglang serve --model-path ${MODEL} --port $PORT']",
    )
    assert findings("", script) == []


@pytest.mark.parametrize(
    ("args", "fixed"),
    [
        ('--served-model-name, "${MODEL}"', '--served-model-name, "$(MODEL)"'),
        ('--port, "${PORT}"', '--port, "$(PORT)"'),
        ('--port, "$${PORT}"', '--port, "$(PORT)"'),
        ('"--port=$PORT", --enable-metrics', '"--port=$(PORT)", --enable-metrics'),
    ],
)
def test_the_fix_writes_the_name_for_the_kubelet(args: str, fixed: str) -> None:
    text = POD.replace("ARGS", args)
    (finding,) = [found for found in _found(text) if found.code in ("SGL023", "SGL801")]
    assert finding.message.count("the kubelet puts values in for") == 1
    (fix,) = finding.fixes
    assert apply_edits(text, fix.edits) == POD.replace("ARGS", fixed)


def test_no_fix_writes_out_what_another_variable_gives() -> None:
    text = POD.replace("ARGS", '--served-model-name, "$(MODEL)-${PORT}"')
    (finding,) = [found for found in _found(text) if found.code == "SGL801"]
    assert finding.fixes == ()


COMPOSE = """\
services:
  a:
    image: lmsysorg/sglang:v0.5.18
    environment: {MODEL: Qwen/Qwen3-8B, PORT: "8000"}
    command: COMMAND
"""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('[sglang, serve, --model-path, m, --served-model-name, "$${MODEL}"]', [("SGL801", "$${MODEL}")]),
        ("sglang serve --model-path m --served-model-name $$MODEL", [("SGL801", "$$MODEL")]),
        ('[sglang, serve, --model-path, m, --port, "$${PORT}"]', [("SGL023", "$${PORT}")]),
        ('[sglang, serve, --model-path, m, --served-model-name, "$${UNDECLARED}"]', []),
        ("sh -c 'sglang serve --model-path m --served-model-name $${MODEL} --port $$PORT'", []),
    ],
)
def test_two_dollar_signs_of_a_compose_file_are_for_a_shell(command: str, expected: list[tuple[str, str]]) -> None:
    text = COMPOSE.replace("COMMAND", command)
    found = [one for one in _found(text) if one.code in ("SGL023", "SGL801")]
    assert [(one.code, text[slice(*one.span)]) for one in found] == expected
    assert all("this command starts none" in one.message and one.fixes == () for one in found)
