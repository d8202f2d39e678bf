"""Whatever is edited in a folder of charts, scripts and configurations, a kept result is the one a new run has."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sglint.cli import app

from .launches import CLEAN, DEPLOYMENT, SCRIPT

MODEL = (Path(__file__).parents[1] / "data" / "configs" / "lfm2-shape" / "config.json").read_text()
TEMPLATE = DEPLOYMENT.replace(
    "            - --attention-backend=triton\n", '            {{- include "args" . | nindent 12 }}\n'
)
HELPER = '{{ define "args" }}- --tp-size={{ .Values.tp }}{{ end }}\n'
COMPOSE = """\
services:
  llm:
    image: lmsysorg/sglang:v0.5.18
    command: python3 -m sglang.launch_server --model-path ${MODEL:-Qwen/Qwen3-32B} --config serve.yaml
"""

CONTENTS: dict[str, tuple[str, ...]] = {
    "chart/Chart.yaml": ("apiVersion: v2\nname: llm\nversion: 1.0.0\n", "apiVersion: ["),
    "chart/values.yaml": ("tp: 1\n", "tp: 2\nargs: [--enable-unified-memory]\n", "tp: two\n", "tp: [\n"),
    "chart/values-prod.yaml": ("tp: 4\n", "tp: none\n"),
    "chart/templates/_helpers.tpl": (HELPER, HELPER.replace("tp-size", "no-such-flag"), "{{ define"),
    "chart/templates/more.tpl": (HELPER.replace("tp", "dp"),),
    "chart/templates/deploy.yaml": (TEMPLATE, DEPLOYMENT, ""),
    "compose.yaml": (COMPOSE, COMPOSE.replace("serve.yaml", "other.yaml")),
    ".env": ("MODEL=openai/gpt-oss-120b\n", "MODEL=./own\n"),
    "serve.yaml": ("tp-size: 2\n", "tp-size: two\nmodel-path: ./own\n"),
    "run.sh": (SCRIPT, CLEAN, f". ./common.sh\n{CLEAN}", CLEAN.replace("Qwen/Qwen3-32B", "./own") + " $EXTRA\n"),
    "common.sh": ("EXTRA=--enable-unified-memory\n", "EXTRA='--tp-size two'\n"),
    "own/config.json": (MODEL, "{}", "{"),
    "sglint.toml": ('release = "0.5.20"\n', 'ignore = ["SGL1"]\nrules = ["house"]\n', "release = ", 'gpu = "h100x8"\n'),
    "chart/sglint.toml": ('release = "0.5.19"\n', '[per-file-ignores]\n"*.yaml" = ["SGL101"]\n'),
    "house/HOUSE001-x.toml": ('code = "HOUSE001"\n', ""),
    "kustomization.yaml": ("resources: [base.yaml]\n",),
    "base.yaml": (DEPLOYMENT,),
}

EDITS = st.sampled_from([(name, text) for name, texts in CONTENTS.items() for text in (*texts, None)])


def checked(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = app.run(["check", "--format", "json", "-j", "1", *words])
    return code, out.getvalue(), err.getvalue()


def apply(name: str, text: str | None) -> None:
    path = Path(name)
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@settings(derandomize=True, deadline=None, max_examples=7, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EDITS, min_size=4, max_size=12))
def test_a_kept_result_is_the_one_a_new_run_has(edits: list[tuple[str, str | None]]) -> None:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        try:
            os.chdir(folder)
            Path(".git").mkdir()
            for name in (
                "chart/Chart.yaml",
                "chart/templates/deploy.yaml",
                "chart/values.yaml",
                "compose.yaml",
                "run.sh",
            ):
                apply(name, CONTENTS[name][0])
            for number, (name, text) in enumerate(edits):
                apply(name, text)
                # Not after every edit: several changes at once have to be noticed too.
                if number % 2:
                    assert checked("--cache-dir", cache) == checked("--no-cache"), (name, text)
        finally:
            os.chdir(before)
