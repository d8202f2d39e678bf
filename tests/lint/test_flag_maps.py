"""Maps whose keys are flags: files for ``--config``, and what tools make words of."""

from __future__ import annotations

import pytest

from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, Sources

ROLE = """\
# for sglang
model-path: /model
tensor-parallel-size: 4
disaggregation-mode: decode
disable-radix-cache: true
enable-metrics: false
enable-dp-attention: false
"""
RECIPE = "backend:\n  sglang_config:\n    decode:\n" + "".join(f"      {line}\n" for line in ROLE.splitlines())


def _words(text: str, path: str) -> tuple[list[str | None], list[str]]:
    report = lint(Document(path, text, "yaml"), Settings(release="0.5.23"), Sources.none())
    (judged,) = report.judged
    return [word.text for word in judged.launch.words], [finding.code for finding in report.findings]


def test_a_tool_leaves_out_what_is_false_and_writes_what_is_true_as_a_switch() -> None:
    words, codes = _words(RECIPE, "recipe.yaml")
    assert words[-3:] == ["--disaggregation-mode", "decode", "--disable-radix-cache"]
    assert "SGL033" not in codes
    assert "SGL025" not in codes


def test_a_file_for_the_option_is_read_as_the_release_reads_it() -> None:
    words, codes = _words(ROLE, "config.yaml")
    assert words[-2:] == ["--enable-dp-attention", "false"]
    assert "SGL033" in codes


def test_a_tool_leaves_out_what_is_null_and_tries_one_of_several_values() -> None:
    text = (
        RECIPE + "      load-balance-method: null\n      max-running-requests: [91, 196]\n      cuda-graph-bs: [1, 2]\n"
    )
    words, codes = _words(text, "recipe.yaml")
    assert words[-5:] == ["--max-running-requests", None, "--cuda-graph-bs", "1", "2"]
    assert not {"SGL022", "SGL023", "SGL026"} & set(codes)


def test_a_switch_with_several_values_may_be_there_and_a_placeholder_is_not_known() -> None:
    text = RECIPE + "      enable-dp-lm-head: [false, true]\n      max-total-tokens: '{tokens}'\n"
    words, codes = _words(text, "recipe.yaml")
    assert words[-3:] == ["--enable-dp-lm-head", "--max-total-tokens", None]
    assert not {"SGL023", "SGL025"} & set(codes)


def test_what_is_laid_over_another_map_has_words_that_are_not_seen() -> None:
    launch = (
        "backend:\n  sglang_config:\n    decode:\n      model-path: org/wren\n      dp-size: 16\n      tp-size: 2\n"
    )
    launch += "      enable-dp-attention: true\n      disaggregation-mode: decode\n"
    over = "zip_override_large:\n" + "".join(f"  {line}\n" for line in launch.splitlines())
    assert "SGL501" in _words(launch, "recipe.yaml")[1]
    words, codes = _words(over, "recipe.yaml")
    assert words[-1] is None
    assert "SGL501" not in codes


@pytest.mark.parametrize("text", [ROLE, RECIPE])
def test_neither_needs_to_name_everything(text: str) -> None:
    without = "\n".join(line for line in text.splitlines() if "model-path" not in line) + "\n"
    assert "SGL027" not in _words(without, "some.yaml")[1]
