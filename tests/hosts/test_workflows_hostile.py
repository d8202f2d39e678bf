"""Workflows, pipelines and kustomizations that multiply what they hold: bounded time."""

from __future__ import annotations

import time

import pytest

from sglint import hosts
from sglint.text import Document, Sources

SECONDS = 10.0
"""CPU; far above what is needed, so that a busy machine does not fail."""

N = 120
RUN = "sglang, serve, --model-path"


def lines(pattern: str, count: int = N) -> str:
    return "".join(pattern.replace("#", str(n)).replace("@", str(n + 1)) for n in range(count))


HOSTILE = {
    "argo.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec:\n  templates:\n"
    + lines(
        "    - name: t#\n      inputs: {parameters: [{name: a}]}\n"
        f"      container: {{image: x, command: [{RUN}, '{{{{inputs.parameters.a}}}}']}}\n"
        "      dag: {tasks: [{name: s, template: t@, arguments: {parameters: "
        "[{name: a, value: '{{inputs.parameters.a}}{{inputs.parameters.a}}'}]}}]}\n"
    ),
    "tekton.yaml": "apiVersion: tekton.dev/v1\nkind: Task\nspec:\n  params:\n"
    f"    - {{name: e, type: array, default: [{'--a, ' * 2000}]}}\n"
    + lines("    - {name: p#, default: '$(params.p@)$(params.p@)'}\n")
    + "  steps:\n"
    + lines(f"    - {{name: s#, image: x, command: [{RUN}, $(params.p#), '$(params.e[*])', '$(params.e[*])']}}\n"),
    "github.yml": "on: push\nenv:\n"
    + lines("  V#: ${{ env.V@ }}\n", 500)
    + "jobs:\n"
    + lines("  j#:\n    env: {A: '${{ env.V1 }}'}\n    steps: [{run: 'sglang serve --model-path $A ${{ env.V# }}'}]\n"),
    ".gitlab-ci.yml": "variables:\n"
    + lines("  V#: $V@$V@\n", 500)
    + lines("j#:\n  extends: [j@, j#]\n  variables: {A: $V1}\n  script: [sglang serve --model-path $A]\n"),
    "play.yml": "- hosts: x\n  vars:\n"
    + lines("    v#: '{{ v@ }}{{ v@ }}'\n")
    + "  tasks:\n"
    + lines("    - {shell: 'sglang serve --model-path {{ v# }}', register: r#}\n"),
    "mounted.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata:\n  a.sh: |\n"
    + "    sglang serve --model-path m\n" * 100
    + "---\n"
    + lines(
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - {name: a, image: x, command: [bash, /s/a.sh],"
        " volumeMounts: [{name: v, mountPath: /s}]}\n  volumes: [{name: v, configMap: {name: s}}]\n---\n"
    ),
    "base.yaml": lines(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p#}}\nspec: {{containers: [{{name: a, image: x,"
        f" command: [{RUN}, $(V#)], envFrom: [{{configMapRef: {{name: s}}}}]}}]}}\n"
    ),
    "kustomization.yaml": "resources: [base.yaml]\nconfigMapGenerator:\n"
    f"  - {{name: s, envs: [{'e.env, ' * 500}], literals: [V1=a]}}\nreplacements:\n"
    + lines(
        "  - source: {kind: ConfigMap, name: s, fieldPath: data.V1}\n"
        "    targets: [{select: {kind: Pod}, fieldPaths: ['*.*.*.*.*']}]\n"
    )
    + "vars:\n"
    + lines("  - {name: V#, objref: {kind: ConfigMap, name: s}, fieldref: {fieldpath: data.V1}}\n"),
    "e.env": lines("A#=1\n", 1000),
}


@pytest.mark.parametrize("path", [path for path in HOSTILE if path != "e.env"])
def test_what_multiplies_is_read_in_bounded_time(path: str) -> None:
    start = time.process_time()
    reading = hosts.read(Document(path, HOSTILE[path], "yaml"), Sources(HOSTILE.get))
    assert time.process_time() - start < SECONDS
    assert reading.problems == ()
    assert path == "kustomization.yaml" or len(reading.launches) >= 100
