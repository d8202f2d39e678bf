"""A repository of ten thousand files as a company has it: one in a hundred starts an SGLang server, in every notation.

``python -m tests.bench.monorepo FOLDER`` writes it. The same numbers give the same bytes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .texts import manifest

FILES = 10_000
EVERY = 100
"""One file in so many has a launch (a chart's counts as one)."""

SERVE = "python3 -m sglang.launch_server --model-path openai/gpt-oss-120b --tp-size 2 --port 30000"
IMAGE = "lmsysorg/sglang:v0.5.18-cu129"


def make(root: Path, files: int = FILES) -> dict[str, list[str]]:
    """Write the repository, with git; its files by kind: ``launch`` and the kinds of :data:`OTHERS`."""
    made: dict[str, list[str]] = {}
    others = list(OTHERS.items())
    launches = list(LAUNCHES)
    for number in range(files):
        if number % EVERY == 0:
            kind, own = "launch", launches[number // EVERY % len(launches)](number)
        else:
            kind, text_of = others[number % len(others)]
            own = text_of(number)
        for name, text in own.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            made.setdefault(kind, []).append(name)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    return made


def _team(number: int) -> str:
    return f"team-{number % 97:02}/svc-{number // 97:03}"


def _yaml(number: int) -> dict[str, str]:
    text = manifest(60).replace("sglang", "other").replace("gpt-oss", "app")
    kept = (line for line in text.split("\n") if "- --" not in line)
    return {f"{_team(number)}/deploy.yaml": "\n".join(kept).replace("name: bench", f"name: svc-{number}")}


def _values(number: int) -> dict[str, str]:
    lines = "".join(f"setting{line}: {{enabled: true, size: {line}}}\n" for line in range(40))
    return {f"{_team(number)}/config/settings.yaml": f"replicas: {number % 5}\n{lines}"}


def _script(number: int) -> dict[str, str]:
    steps = "".join(f'if [ -f "part-{step}" ]; then cp "part-{step}" "$TARGET"; fi\n' for step in range(25))
    return {f"{_team(number)}/build.sh": f'#!/bin/bash\nset -euo pipefail\nTARGET="${{1:-out}}"\n{steps}'}


def _python(number: int) -> dict[str, str]:
    functions = "".join(
        f"\n\ndef step_{step}(rows: list[int]) -> int:\n    return sum(row * {step} for row in rows if row)\n"
        for step in range(15)
    )
    return {f"{_team(number)}/main.py": f'"""Service {number}."""\n\nimport os\n\nROOT = os.getcwd()\n{functions}'}


def _dockerfile(number: int) -> dict[str, str]:
    runs = "".join(f"RUN pip install --no-cache-dir tool-{step}==1.{step}\n" for step in range(10))
    text = f'FROM python:3.11-slim\nWORKDIR /app\n{runs}COPY . .\nCMD ["python", "main.py"]\n'
    return {f"{_team(number)}/Dockerfile": text}


def _workflow(number: int) -> dict[str, str]:
    steps = "".join(f'      - run: make part-{step}\n        env: {{PART: "{step}"}}\n' for step in range(12))
    text = (
        f"name: svc-{number}\non: [push]\npermissions: {{}}\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n"
        f"      - uses: actions/checkout@v4\n{steps}"
    )
    return {f".github/workflows/svc-{number}.yml": text}


def _compose(number: int) -> dict[str, str]:
    services = "".join(
        f"  part-{step}:\n    image: registry/app:{step}\n    command: serve --port {8000 + step}\n"
        for step in range(8)
    )
    return {f"{_team(number)}/compose.yaml": f"services:\n{services}"}


def _unit(number: int) -> dict[str, str]:
    text = f"[Unit]\nDescription=svc {number}\n[Service]\nExecStart=/usr/bin/app --n {number}\n"
    return {f"{_team(number)}/app.service": text}


def _text(number: int) -> dict[str, str]:
    return {f"{_team(number)}/README.md": f"# svc {number}\n" + "How it is built and run.\n" * 40}


OTHERS: dict[str, Callable[[int], dict[str, str]]] = {
    "yaml": _yaml,
    "values": _values,
    "script": _script,
    "python": _python,
    "yaml again": lambda number: {f"{_team(number)}/k8s/job.yaml": next(iter(_yaml(number).values()))},
    "compose": _compose,
    "text": _text,
    "dockerfile": _dockerfile,
    "unit": _unit,
    "python again": lambda number: {f"{_team(number)}/tests/test_main.py": next(iter(_python(number).values()))},
    "workflow": _workflow,
}
"""Files that start no server; eleven kinds, so that no step of the numbering misses one."""


def _deployment(number: int) -> dict[str, str]:
    text = manifest(80, refused=number % 3 == 0).replace("name: bench", f"name: llm-{number}")
    return {f"{_team(number)}/llm.yaml": text}


def _chart(number: int) -> dict[str, str]:
    folder = f"{_team(number)}/chart"
    template = manifest(50, refused=False).replace("--tp-size=1", "--tp-size={{ .Values.tp }}")
    return {
        f"{folder}/Chart.yaml": f"apiVersion: v2\nname: llm-{number}\nversion: 1.0.0\n",
        f"{folder}/values.yaml": f"tp: {1 + number % 4}\nname: llm-{number}\n",
        f"{folder}/templates/deploy.yaml": template.replace("name: bench", "name: {{ .Values.name }}"),
    }


def _start_script(number: int) -> dict[str, str]:
    return {
        f"{_team(number)}/start.sh": f"#!/bin/bash\nset -e\nTP={1 + number % 4}\n. ./common.sh\n"
        f"pip install sglang==0.5.18\n{SERVE} --tp-size $TP $EXTRA\n",
        f"{_team(number)}/common.sh": 'EXTRA="--enable-metrics"\n',
    }


def _compose_launch(number: int) -> dict[str, str]:
    command = SERVE.replace("--port 30000", f"--port {30000 + number % 1000}")
    return {f"{_team(number)}/llm/compose.yaml": f"services:\n  llm:\n    image: {IMAGE}\n    command: {command}\n"}


def _image(number: int) -> dict[str, str]:
    return {f"{_team(number)}/llm.dockerfile": f"FROM {IMAGE}\nENV N={number}\nCMD {SERVE}\n"}


def _service(number: int) -> dict[str, str]:
    return {f"{_team(number)}/llm.service": f"[Service]\nEnvironment=N={number}\nExecStart=/usr/bin/{SERVE}\n"}


def _kustomize(number: int) -> dict[str, str]:
    folder = f"{_team(number)}/kustomize"
    patch = (
        f"spec:\n  template:\n    spec:\n      nodeSelector: {{nvidia.com/gpu.product: NVIDIA-H100, n: '{number}'}}\n"
    )
    return {
        f"{folder}/kustomization.yaml": "resources: [base.yaml]\npatches:\n  - path: patch.yaml\n",
        f"{folder}/base.yaml": manifest(45, refused=False).replace("name: bench", f"name: llm-{number}"),
        f"{folder}/patch.yaml": f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: llm-{number}}}\n{patch}",
    }


LAUNCHES: tuple[Callable[[int], dict[str, str]], ...] = (
    _deployment,
    _chart,
    _start_script,
    _compose_launch,
    _image,
    _service,
    _kustomize,
)

if __name__ == "__main__":
    counted = make(Path(sys.argv[1]))
    print({kind: len(names) for kind, names in counted.items()})
