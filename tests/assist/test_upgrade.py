"""What another release makes of a launch."""

from __future__ import annotations

import pytest

from sglint import catalogue
from sglint.assist import Upgrade, upgrade
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, apply_edits

POD = """\
spec:
  containers:
    - name: a
      image: lmsysorg/sglang:v0.5.18-cu129
      command: [python3, -m, sglang.launch_server]
      args:
        - --model-path=meta-llama/Llama-3.1-8B-Instruct
        - --cuda-graph-max-bs
        - "64"
        - --mamba-scheduler-strategy=auto
        - --disable-piecewise-cuda-graph
        - --attention-backend=fa3
"""


def upgraded(text: str, release: str, language: str = "yaml", settings: Settings | None = None) -> Upgrade:
    settings = settings or Settings()
    document = Document("a.yaml" if language == "yaml" else "a.sh", text, language)
    return upgrade(document, lint(document, settings, fixes=False).judged[0], 0, release, settings)


def test_what_would_break_is_told_in_the_order_of_striking() -> None:
    found = upgraded(POD, "0.5.23")
    words = [POD[finding.span.start : finding.span.end] for finding in found.breaks]
    assert sorted(words) == ["--cuda-graph-max-bs", "--disable-piecewise-cuda-graph", "--mamba-scheduler-strategy"]
    # An ambiguous abbreviation is refused before anything else is looked at.
    assert words[0] == "--cuda-graph-max-bs"


def test_all_renames_and_the_image_are_one_fix() -> None:
    found = upgraded(POD, "0.5.23")
    assert found.fix is not None and found.fix.verified
    after = apply_edits(POD, found.fix.edits)
    assert after == (
        POD.replace("v0.5.18-cu129", "v0.5.23-cu129")
        .replace("--cuda-graph-max-bs", "--cuda-graph-max-bs-decode")
        .replace("--mamba-scheduler-strategy", "--mamba-radix-cache-strategy")
        .replace("--disable-piecewise-cuda-graph", "--cuda-graph-backend-prefill=disabled")
    )
    report = lint(Document("a.yaml", after, "yaml"), Settings())
    assert [finding.code for finding in report.findings if finding.severity == "error"] == []


def test_defaults_that_move_and_choices_of_given_flags_are_silent_changes() -> None:
    found = upgraded(POD, "0.5.23")
    by_name = {(change.name, change.field): change for change in found.silent}
    assert by_name["--swa-full-tokens-ratio", "default"].before == 0.8
    assert not by_name["--swa-full-tokens-ratio", "default"].given
    assert by_name["--attention-backend", "choices"].given
    assert ("--quantization", "choices") not in by_name


def test_a_flag_that_is_written_does_not_feel_a_new_default() -> None:
    found = upgraded(POD + "        - --swa-full-tokens-ratio=0.5\n", "0.5.23")
    assert ("--swa-full-tokens-ratio", "default") not in {(change.name, change.field) for change in found.silent}


def test_a_script_whose_release_is_a_setting_is_only_respelled() -> None:
    text = "python -m sglang.launch_server --model-path a --cuda-graph-max-bs 64\n"
    found = upgraded(text, "0.5.23", "shell", Settings(release="0.5.18"))
    assert found.fix is not None
    assert apply_edits(text, found.fix.edits) == text.replace("-max-bs", "-max-bs-decode")


def test_nothing_to_rename_is_no_fix() -> None:
    text = "python -m sglang.launch_server --model-path a --tp-size 2\n"
    found = upgraded(text, "0.5.20", "shell", Settings(release="0.5.18"))
    assert (found.breaks, found.fix) == ((), None)


def test_going_back_tells_of_flags_that_are_not_there_yet() -> None:
    text = "python -m sglang.launch_server --model-path a --mamba-radix-cache-strategy auto\n"
    found = upgraded(text, "0.5.10", "shell", Settings(release="0.5.23"))
    assert [finding.name for finding in found.breaks] == ["flag-of-a-later-release"]


def test_an_unknown_release_is_an_error_of_the_caller() -> None:
    with pytest.raises(catalogue.UnknownRelease):
        upgraded(POD, "9.9.9")
