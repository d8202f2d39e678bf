"""What is fuzzed: for each host, files as people write them, and the pieces that mangle them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..hosts import test_fuzz_shell as shell
from ..hosts.chart_texts import ALL_CHARTS
from ..hosts.extraction import cases
from ..hosts.kustomize_texts import FOLDERS
from ..hosts.script_maker import make_script
from ..hosts.test_compose_extends import COMMON
from ..hosts.test_config_files import MANIFEST, SERVE, script
from ..hosts.test_fuzz_files import EXTENDING
from ..hosts.test_fuzz_yaml import BREAKS, MARKS
from ..hosts.test_kustomize import BASE, IMAGES, PATCH, PATCHES
from ..hosts.test_python import COMMANDS, ENGINES, NO_LAUNCHES
from ..hosts.workflow_texts import ARGO, GITHUB, GITLAB, PLAYBOOK, TEKTON

Files = Mapping[str, str]
Dice = random.Random

YAML = [*MARKS, *BREAKS, "    ", "<<: *a", "? ", "!!binary ", "!!set ", "%YAML 9\n", "|2+\n", "\ufeff", "\u0085"]
SHELL = [*shell.SHELL_MARKS, *shell.SHARED, "\r\n", "\x01", "${A:=", "coproc ", "select x in ", "<(", "exec 3<>"]
ACTIONS = (
    "{{ .Values.a }}|{{- range $i, $v := .Values }}|{{ end }}|{{ else if .a }}|{{ with . }}|{{/*|*/}}|{{`|`}}"
    '|{{ include "c.name" . | nindent 8 }}|{{ tpl .Values.x . }}|{{ define "c.name" }}|{{ block "b" . }}|{{ break }}'
    '|{{ dict "a" (dict) | toYaml }}|{{ printf "%[2]*d" 1 2 }}|{{ index . 1 "a" }}|{{ repeat 99999 "x" }}'
    "|{{ until 1000000 }}|{{ seq 1 9 }}|{{- $x := 1 -}}|{{ $x = add $x 1 }}|{{ toJson . }}|{{ template"
).split("|")
MAKE = ["\t", "$(", "${", "$$", "@-+", ":=", "::=", "?=", "include a.mk\n", "define X\n", "endef\n", "ifeq (a,b)\n"]
JUST = ["{{", "}}", "a := `x`\n", "set shell := ['a']\n", "@", "a b='c' *d:\n    ", "#!/bin/sh\n", "import 'a.just'\n"]
COMPOSE = ["extends: big\n", "extends: {file: compose.yaml, service: b}", "${A:?x}", "$$", "${A:-${B}}", "entrypoint: "]
PYTHON = (
    "(|)|[|]|{|}|'|\"|'''|f'{|f\"|r'|b'|}'|:|,|=|==|+|*|**|.|\\|\\N{DASH}|\\x4|#|@|lambda x: |if x:\n    "
    "|else:\n    |for x in y:\n    |while x:\n    |try:\n    |except* E:\n    |with a as b:\n    |def f(*a, **k):\n    "
    "|class A:\n    |return |yield |await |async |match x:\n    case [a, *b]:\n        |import subprocess as s\n"
    "|cmd = |cmd += ['--tp', x]\n|cmd.append(x)\n|cmd[1:]|cmd[0]|''.join(cmd)|.format(x)|%s| % (x, y)|.split()"
    "|*cmd|**kw|self.cmd|os.environ|(x := 1)|[a for a in b if c]|{**a}|dict(a=1)|not |-|~| if a else b| or []"
    "|global cmd\n|del cmd\n|break\n|continue\n"
).split("|")
KUSTOMIZE = (
    "patches: [{path: base.yaml}]\n|resources: [..]\n|images: 3\n|$patch: delete\n|bases: [.]\n|behavior: merge\n"
    "|configMapGenerator: [{name: settings, envs: [base.yaml], files: [a=base.yaml]}]\n|literals: [TP=$(TP)]\n"
    "|vars: [{name: TP, objref: {kind: ConfigMap, name: settings}, fieldref: {fieldpath: data.TP}}]\n|.*.*"
    "|[name=server]|options: {delimiter: '', index: -1, create: true}\n|components: [., ../over]\n|data.MODEL"
).split("|")
FILLED = (
    "{{inputs.parameters.x}}|{{workflow.parameters.model}}|{{ item }}|{{=inputs.parameters['tp']}}|{{|}}|{{inline"
    "|template: serve\n|withItems: [1]\n|inline:\n|entrypoint: main\n|${{ env.TP }}|${{ inputs.model || 'a''b' }}"
    "|${{ matrix.page }}|${{|${{ env.WHICH }}${{ env.WHICH }}|include: [{page: 1}]\n|env: {TP: '${{ env.TP }}'}\n"
    "|GITHUB_ENV|$MODEL|${NAME}|$$|extends: [serve, .base]\n|extends: serve\n|- *a\n|script: [&a x, *a]\n"
    "|before_script:\n|variables: {A: $A}\n|$(params.model)|$(params['extra'][*])|$(params.extra[*])|$(params.sizes.tp)"
    "|$(tasks.a.results.b)|params:\n|value: $(params.page)\n|{{ port }}|{{ tp | default('4') }}|register: model\n"
    "|vars: {tp: '{{ tp }}'}\n|set_fact:\n"
).split("|")


@dataclass(frozen=True)
class Target:
    """``files`` draws files by path; what is written into them are ``pieces``."""

    files: Callable[[Dice], Files]
    pieces: Sequence[str]


@cache
def _texts(*kinds: str) -> list[str]:
    return [case.text for case in cases(*kinds)]


def _case(path: str, *kinds: str) -> Callable[[Dice], Files]:
    return lambda dice: {path: dice.choice(_texts(*kinds))}


def _scripts(dice: Dice) -> Files:
    text = make_script(dice.randrange(10**6)) if dice.random() < 0.5 else dice.choice(_texts("shell", "slurm"))
    return {"a.sh": text + "source env.sh\n" * dice.randint(0, 1), "env.sh": make_script(dice.randrange(10**6))}


def _chart(dice: Dice) -> Files:
    files = {"Chart.yaml": "name: chart\n", **ALL_CHARTS[dice.choice(sorted(ALL_CHARTS))]}
    return {f"chart/{path}": text for path, text in files.items()}


def _recipes(dice: Dice) -> Files:
    body = make_script(dice.randrange(10**6))
    indented = "".join(f"\t{line}\n" for line in body.splitlines())
    make = "\tsglang serve --model-path $(MODEL) --tp $(TP)\n"
    just = "\tsglang serve --model-path {{model}} --tp {{tp}}\n"
    return {
        "Makefile": f"MODEL := m\nTP ?= 2\nserve: a b\n{indented}{make}",
        "justfile": f'tp := "2"\nserve model="m":\n{indented}{just}',
    }


def _program(dice: Dice) -> Files:
    pieces = dice.choices([*COMMANDS.values(), *ENGINES.values(), *NO_LAUNCHES], k=dice.randint(1, 4))
    indented = "".join(f"    {line}\n" for line in dice.choice(pieces).splitlines())
    return {"a.py": "".join(pieces) + dice.choice(("", f"def run(cmd, **kw):\n{indented}"))}


def _config_map(dice: Dice) -> Files:
    return {"pod.yaml": MANIFEST if dice.random() < 0.3 else dice.choice(_texts("configmap", "dynamo"))}


TARGETS: Mapping[str, Target] = {
    "yaml": Target(_case("a.yaml", "k8s-deployment", "k8s-pod", "lws", "rbg", "kserve", "ome", "yaml-other"), YAML),
    "shell": Target(_scripts, SHELL),
    "helm": Target(_chart, [*YAML, *ACTIONS]),
    "compose": Target(
        lambda dice: (
            {"compose.yaml": EXTENDING, "common.yml": COMMON, ".env": "A=1\nB='2'\n"}
            if dice.random() < 0.3
            else {"compose.yaml": dice.choice(_texts("compose")), ".env": "TP=2\n"}
        ),
        [*YAML, *COMPOSE],
    ),
    "kustomize": Target(
        lambda dice: (
            {
                "base.yaml": BASE,
                "patch.yaml": PATCH,
                "kustomization.yaml": dice.choice((IMAGES, PATCHES, IMAGES + PATCHES.partition("\n")[2])),
            }
            if dice.random() < 0.4
            else FOLDERS[dice.choice(sorted(FOLDERS))]
        ),
        [*YAML, *KUSTOMIZE],
    ),
    "dockerfile": Target(_case("Dockerfile", "dockerfile"), [*shell.IMAGE_MARKS, *SHELL]),
    "systemd": Target(_case("a.service", "systemd"), [*shell.UNIT_MARKS, *shell.SHARED]),
    "recipes": Target(_recipes, [*MAKE, *JUST, *SHELL]),
    "python": Target(_program, [*PYTHON, *shell.SHARED, "\r", "\r\n", "\x0c", "    ", "\n    "]),
    "config": Target(lambda dice: {"run.sh": script("serve.yaml"), "serve.yaml": _config(dice)}, YAML),
    "configmap": Target(_config_map, YAML),
    "argo": Target(lambda dice: {"wf.yaml": ARGO}, [*YAML, *FILLED]),
    "tekton": Target(lambda dice: {"run.yaml": TEKTON}, [*YAML, *FILLED]),
    "github": Target(lambda dice: {"ci.yml": GITHUB}, [*YAML, *FILLED, *shell.SHARED]),
    "gitlab": Target(lambda dice: {".gitlab-ci.yml": GITLAB}, [*YAML, *FILLED, *shell.SHARED]),
    "ansible": Target(lambda dice: {"play.yml": PLAYBOOK}, [*YAML, *FILLED, *shell.SHARED]),
}


def _config(dice: Dice) -> str:
    return dice.choice((SERVE, *_texts("sglang-config")))


def mangled(dice: Dice, text: str, pieces: Sequence[str]) -> str:
    """The text after a few random replacements, copies and cuts."""
    for _ in range(dice.choice((1, 2, 3, 5, 8, 20))):
        start = dice.randint(0, len(text))
        end = min(len(text), start + dice.choice((0, 0, 1, 3, 12, 60)))
        chance = dice.random()
        if chance < 0.75:
            more = dice.choice(pieces)
        elif chance < 0.8:
            more = dice.choice(pieces) * dice.choice((2, 50, 500))
        else:
            more = text[slice(*sorted(dice.choices(range(len(text) + 1), k=2)))]
        text = text[:start] + more[:2_000] + text[end:]
    return text


def drawn(target: Target, dice: Dice) -> Files:
    """Files of ``target``, at least one of them mangled."""
    files = dict(target.files(dice))
    first = dice.choice(sorted(files))
    return {
        path: mangled(dice, text, target.pieces) if path == first or dice.random() < 0.4 else text
        for path, text in files.items()
    }
