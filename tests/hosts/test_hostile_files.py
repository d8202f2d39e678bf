"""Files that include each other without end, multiply or nest: bounded time, at most a line about each."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from sglint import hosts
from sglint.launch import Reading
from sglint.text import Document, Sources, language_of

SERVER = "python3 -m sglang.launch_server --model-path m --tp 2"
POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
    - name: a
      command: [python3, -m, sglang.launch_server]
      args: [--model-path, m, --tp, '2']
"""
CHART = {"c/Chart.yaml": "name: c\n", "c/values.yaml": "a: 1\nlist: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"}
SECONDS = 10.0
"""Far above what is needed, so that a busy machine does not fail; a blow-up needs hours."""


def reading_of(path: str, files: Mapping[str, str]) -> Reading:
    def names(folder: str) -> list[str]:
        return sorted({name[len(folder) + 1 :].split("/")[0] for name in files if name.startswith(f"{folder}/")})

    language = language_of(path)
    assert language is not None
    start = time.process_time()
    reading = hosts.read(Document(path, files[path], language), Sources(files.get, names=names))
    assert time.process_time() - start < SECONDS
    assert [problem.message for problem in reading.problems if problem.code == "SGL000"] == []
    assert len(reading.problems) <= 1
    return reading


def template(body: str, **files: str) -> dict[str, str]:
    helpers = {f"c/templates/{name}.tpl": text for name, text in files.items()}
    return {**CHART, **helpers, "c/templates/pod.yaml": POD + body}


def include(name: str) -> str:
    return f'{{{{ include "{name}" . }}}}'


def defined(name: str, body: str) -> str:
    return f'{{{{ define "{name}" }}}}{body}{{{{ end }}}}'


TREE = "".join(defined(f"t{n}", include(f"t{n + 1}") * 3) for n in range(40))
ENDLESS = {
    "templates that include each other": (
        "c/templates/pod.yaml",
        template(include("a"), h=defined("a", include("b") * 2) + defined("b", include("a") * 2)),
    ),
    "a tree of templates": ("c/templates/pod.yaml", template(include("t0"), h=TREE)),
    "ranges in ranges": (
        "c/templates/pod.yaml",
        template("{{ range .Values.list }}" * 12 + "x" + "{{ end }}" * 12),
    ),
    "blocks in blocks": ("c/templates/pod.yaml", template("{{ if .Values.a }}" * 20_000)),
    "parentheses in an action": ("c/templates/pod.yaml", template("{{ " + "(" * 10_000 + ")" * 10_000 + " }}")),
    "long texts": ("c/templates/pod.yaml", template('# {{ repeat 1000000000 "x" | indent 1000000000 }}')),
    "a chart that depends on itself": (
        "c/templates/pod.yaml",
        {**template(""), "c/Chart.yaml": "name: c\ndependencies: [{name: c, repository: 'file://../c'}]\n"},
    ),
    "kustomizations that build on each other": (
        "a/pod.yaml",
        {
            "a/pod.yaml": POD,
            "a/kustomization.yaml": "resources: [pod.yaml, ../b]\nimages: [{name: x, newTag: y}]\n",
            "b/kustomization.yaml": "resources: [../a]\n",
        },
    ),
    "services that extend each other": (
        "compose.yaml",
        {
            "compose.yaml": f"services:\n  a:\n    image: sglang\n    command: {SERVER}\n"
            "    extends: {file: b.yaml, service: b}\n",
            "b.yaml": "services:\n  b:\n    extends: {file: compose.yaml, service: a}\n",
        },
    ),
    "scripts that source each other": (
        "a.sh",
        {"a.sh": f". ./b.sh\n{SERVER}\n", "b.sh": ". ./c.sh\n. ./a.sh\n", "c.sh": ". ./b.sh\n. ./a.sh\n"},
    ),
    "many scripts that source all": (
        "a.sh",
        {
            "a.sh": "".join(f". ./b{n}.sh\n" for n in range(50)) + f"{SERVER}\n",
            **{f"b{n}.sh": "".join(f". ./b{other}.sh\n" for other in range(50)) for n in range(50)},
        },
    ),
    "a configuration file that names itself": (
        "run.sh",
        {"run.sh": f"{SERVER} --config serve.yaml\n", "serve.yaml": "config: serve.yaml\ntp-size: 2\n"},
    ),
    "a Makefile that includes itself": ("Makefile", {"Makefile": f"include Makefile\na:\n\t{SERVER}\n"}),
    "aliases that multiply": (
        "a.yaml",
        {
            "a.yaml": "a0: &a0 sglang\n"
            + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(12))
            + POD
        },
    ),
    "lists in lists": ("a.yaml", {"a.yaml": f"x: {'[' * 10_000}{']' * 10_000} # sglang\n---\n{POD}"}),
    "maps in maps of JSON": ("a.yaml", {"a.yaml": '{"sglang":' + '{"a":' * 10_000 + "1" + "}" * 10_001}),
    "continued lines": ("Dockerfile", {"Dockerfile": f"FROM a\nCMD {SERVER} \\\n" + "  --a \\\n" * 5_000}),
    "an open list": ("Dockerfile", {"Dockerfile": "FROM a\nCMD [" + '"sglang, ' * 5_000}),
    "continued settings": ("a.service", {"a.service": f"[Service]\nExecStart={SERVER} \\\n" + "  --a \\\n" * 5_000}),
    "references in references": ("Makefile", {"Makefile": f"a:\n\t{SERVER} " + "$(" * 10_000 + ")" * 10_000 + "\n"}),
    "braces in braces": ("justfile", {"justfile": f"a:\n    {SERVER} " + "{{" * 10_000 + "}}" * 10_000 + "\n"}),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_left(name: str) -> None:
    path, files = ENDLESS[name]
    reading = reading_of(path, files)
    assert reading.launches or reading.problems or name == "an open list"
