"""What can be written at the cursor, which stands at ``|`` in the texts here."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue
from sglint.assist import Completion, complete
from sglint.settings import Settings
from sglint.text import Document

START = "python -m sglang.launch_server --model-path a "
POD = """\
spec:
  containers:
    - name: a
      image: lmsysorg/sglang:v0.5.18
      command: [python3, -m, sglang.launch_server]
      args:
        - --model-path
        - meta-llama/Llama-3.1-8B-Instruct
{}
      env: []
"""
VALUES = """\
sglang:
  image: lmsysorg/sglang:v0.5.18
  args:
    model-path: a
    tp-size: 2
{}
"""


def completed(marked: str, language: str = "shell", release: str | None = "0.5.18") -> tuple[str, list[Completion]]:
    at = marked.index("|")
    text = marked[:at] + marked[at + 1 :]
    document = Document("a.yaml" if language == "yaml" else "a.sh", text, language)
    return text, complete(document, at, Settings(release=release))


def labels(marked: str, language: str = "shell", release: str | None = "0.5.18") -> list[str]:
    return [item.label for item in completed(marked, language, release)[1]]


def after(marked: str, label: str, language: str = "shell") -> str:
    """The text after accepting ``label``."""
    text, items = completed(marked, language)
    item = next(item for item in items if item.label == label)
    return text[: item.span.start] + item.text + text[item.span.end :]


@pytest.mark.parametrize(
    ("marked", "label", "accepted"),
    [
        ("--att|\n", "--attention-backend", "--attention-backend\n"),
        ("--att|\n", "--attn-cp-size", "--attn-cp-size\n"),
        ("--mem-st|\n", "--mem-fraction-static", "--mem-fraction-static\n"),
        ("--atten|tion-bakend fa3\n", "--attention-backend", "--attention-backend fa3\n"),
        ("--tp|=2\n", "--tp-size", "--tp-size=2\n"),
        ("-|\n", "--tp-size", "--tp-size\n"),
        ("--|\n", "--tp-size", "--tp-size\n"),
        ("|\n", "--tp-size", "--tp-size\n"),
        ("--enable-metrics \\\n  --t|\n", "--tp-size", "--enable-metrics \\\n  --tp-size\n"),
        ("--attention-backend |\n", "fa3", "--attention-backend fa3\n"),
        ("--attention-backend f|\n", "fa3", "--attention-backend fa3\n"),
        ("--attention-backend=f|\n", "fa3", "--attention-backend=fa3\n"),
        ("--attention-backend=|\n", "fa3", "--attention-backend=fa3\n"),
        ("--attention-backend 'f|'\n", "fa3", "--attention-backend 'fa3'\n"),
        ("--speculative-algorithm |\n", "DSPARK", "--speculative-algorithm DSPARK\n"),
    ],
)
def test_in_a_shell(marked: str, label: str, accepted: str) -> None:
    assert after(START + marked, label) == START + accepted


@pytest.mark.parametrize(
    ("item", "label", "accepted"),
    [
        ("        - --att|", "--attention-backend", "        - --attention-backend"),
        ("        - |", "--attention-backend", "        - --attention-backend"),
        ("        - --|", "--attention-backend", "        - --attention-backend"),
        ('        - "--att|"', "--attention-backend", '        - "--attention-backend"'),
        ('        - "--att|', "--attention-backend", '        - "--attention-backend'),
        ("        - --attention-backend\n        - |", "fa3", "        - --attention-backend\n        - fa3"),
        ("        - --attention-backend\n        - f|", "fa3", "        - --attention-backend\n        - fa3"),
        ("        - --attention-backend=f|", "fa3", "        - --attention-backend=fa3"),
    ],
)
def test_in_a_list_of_arguments(item: str, label: str, accepted: str) -> None:
    assert after(POD.format(item), label, "yaml") == POD.format(accepted)


def test_in_a_map_of_flags_keys_have_no_dashes() -> None:
    marked = VALUES.format("    attention-b|: fa3")
    assert "attention-backend" in labels(marked, "yaml")
    assert after(marked, "attention-backend", "yaml") == VALUES.format("    attention-backend: fa3")
    assert after(VALUES.format("    attention-backend: f|"), "fa3", "yaml") == VALUES.format(
        "    attention-backend: fa3"
    )


def test_in_a_map_a_switch_is_true_or_false() -> None:
    assert labels(VALUES.format("    enable-metrics: t|"), "yaml") == ["true"]


def test_in_a_script_inside_a_manifest() -> None:
    marked = """\
spec:
  containers:
    - image: lmsysorg/sglang:v0.5.18
      command:
        - sh
        - -c
        - |
          exec python -m sglang.launch_server \\
            --model-path a \\
            --attention-backend f@
"""
    text = marked.replace("|", "\0").replace("@", "|")
    at = text.index("|")
    plain = (text[:at] + text[at + 1 :]).replace("\0", "|")
    items = complete(Document("a.yaml", plain, "yaml"), at, Settings())
    assert "fa3" in [item.label for item in items]


def test_what_is_given_is_not_offered_again_in_any_spelling() -> None:
    found = labels(START + "--tp 2 |\n")
    assert "--model-path" not in found
    assert "--tp-size" not in found
    assert "--tensor-parallel-size" not in found
    assert "--dp-size" in found


def test_only_flags_of_the_release_are_offered() -> None:
    assert "--cuda-graph-max-bs-decode" in labels(START + "--cuda|\n", release="0.5.20")
    assert "--cuda-graph-max-bs" not in labels(START + "--cuda|\n", release="0.5.20")
    assert "--cuda-graph-max-bs" in labels(START + "--cuda|\n", release="0.5.13")


def test_values_follow_the_release() -> None:
    assert "DSPARK" not in labels(START + "--speculative-algorithm |\n", release="0.5.15")
    assert "qsa" in labels(START + "--attention-backend |\n", release="0.5.20")
    assert "qsa" not in labels(START + "--attention-backend |\n", release="0.5.19")


def test_deprecated_flags_come_last_and_say_so() -> None:
    _, items = completed(START + "--enable-d|\n", release="0.5.23")
    assert [item.label for item in items if item.deprecated] == ["--enable-dp-attention"]
    assert items[-1].deprecated


def test_flags_are_explained() -> None:
    _, items = completed(START + "--mem-fraction|\n")
    assert items[0].documentation.startswith("Share of GPU memory")
    assert items[0].detail.startswith("number")


def test_models_are_offered_by_name() -> None:
    assert "openai/gpt-oss-120b" in labels("python -m sglang.launch_server --model-path openai/|\n")


@pytest.mark.parametrize(
    ("comment", "label"),
    [
        ("# sglint: |", "gpu="),
        ("# sglint: gpu=h2|", "h200x8"),
        ("# sglint: gpu=h200 model=openai/gpt|", "openai/gpt-oss-120b"),
        ("# sglint: release=0.5.1|", "0.5.18"),
        ("# sglint: ignore[SGL1|", "SGL101"),
        ("# sglint: ignore[SGL101, unknown|", "SGL020"),
        ("# sglint: file ignore[SGL0|", "SGL022"),
    ],
)
def test_in_a_directive(comment: str, label: str) -> None:
    assert label in labels(f"{comment}\n{START}\n")


def test_nothing_is_offered_outside_of_launches() -> None:
    assert labels(f"ls --|\n{START}\n") == []
    assert labels(f"{START}\n|\n") == []
    assert labels("# a comment |\n") == []
    assert labels("ls --|\n") == []


def test_a_text_that_cannot_be_read_for_the_moment_still_gets_flags() -> None:
    broken = 'a: [\n  image: "lmsysorg/sglang:v0.5.13"\n  - sglang.launch_server\n  - --cuda-graph-max|\n'
    assert "--cuda-graph-max-bs" in labels(broken, "yaml", release=None)


TEXTS = (
    f"{START}--attention-backend fa3 --tp-size=2 \\\n  --enable-metrics\n",
    POD.format("        - --attention-backend\n        - fa3\n        - '--tp-size=2'"),
    VALUES.format("    attention-backend: fa3"),
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 2), st.floats(0, 1), st.sampled_from(["", "-", "--", "--a", '"', "'", ": ", "[", "\n", "\\"]))
def test_completions_never_fail_and_replace_only_what_is_around_the_cursor(
    which: int, where: float, typed: str
) -> None:
    text = TEXTS[which]
    at = int(where * len(text))
    document = Document(
        "a.sh" if which == 0 else "a.yaml", text[:at] + typed + text[at:], "shell" if which == 0 else "yaml"
    )
    cursor = at + len(typed)
    for item in complete(document, cursor, Settings(release=catalogue.releases()[-1])):
        assert item.span.start <= cursor <= item.span.end
        assert "\n" not in document.text[item.span.start : item.span.end]
