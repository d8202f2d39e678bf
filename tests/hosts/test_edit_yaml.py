"""Edits of launches written in YAML: exactly the asked change, every other byte as it was."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sglint.hosts import read
from sglint.launch.model import (
    AddOption,
    CannotEdit,
    Change,
    Launch,
    RemoveOption,
    RenameFlag,
    SetImageTag,
    SetValue,
    Word,
)
from sglint.text import Document, Sources, apply_edits


def launch_of(text: str, path: str = "pod.yaml") -> Launch:
    reading = read(Document(path, text, "yaml"), Sources.none())
    assert not reading.problems, reading.problems
    (launch,) = reading.launches
    return launch


def texts(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words]


def changed(text: str, *changes: Change, path: str = "pod.yaml") -> str:
    launch = launch_of(text, path)
    return apply_edits(text, launch.editor.edits(launch, changes))


def words_of(text: str, *names: str, path: str = "pod.yaml") -> tuple[Word, ...]:
    return tuple(word for word in launch_of(text, path).words if word.text in names)


BLOCK = """\
containers:
  - image: lmsysorg/sglang:v0.5.18-cu129
    command: [python3, -m, sglang.launch_server]
    args:
      - --model-path
      - /m/wren  # the model
      # keep this remark
      - "--tp-size"
      - "2"
      - --enable-unified-memory   # new
"""
FLOW = """\
containers:
  - image: lmsysorg/sglang:v0.5.18
    command: ["python3", "-m", "sglang.launch_server", "--model-path", "/m/wren"]
    args: ["--tp-size", "2",  # two cards
           "--enable-metrics"]
"""
EQUALS = """\
containers:
  - image: lmsysorg/sglang:v0.5.18
    command: [python3, -m, sglang.launch_server]
    args:
    - --model-path=/m/wren
    - '--tp-size=2'
"""
VALUES = """\
serverArgs:
  model-path: /m/wren
  tp-size: 2 # cards
  mem-fraction-static: 0.8
"""


def test_a_removed_item_takes_its_line_and_its_own_comment() -> None:
    after = changed(BLOCK, RemoveOption(words_of(BLOCK, "--enable-unified-memory")))
    assert after == BLOCK.replace("      - --enable-unified-memory   # new\n", "")


def test_an_option_with_a_separate_value_loses_both_items_and_no_remark() -> None:
    after = changed(BLOCK, RemoveOption(words_of(BLOCK, "--tp-size", "2")))
    assert after == BLOCK.replace('      - "--tp-size"\n      - "2"\n', "")


def test_the_last_item_of_a_file_without_a_final_line_end() -> None:
    text = BLOCK.rstrip("\n")
    after = changed(text, RemoveOption(words_of(text, "--enable-unified-memory")))
    assert after == text.replace("\n      - --enable-unified-memory   # new", "")


def test_flow_items_go_with_their_comma() -> None:
    after = changed(FLOW, RemoveOption(words_of(FLOW, "--enable-metrics")))
    assert texts(launch_of(after)) == ["--model-path", "/m/wren", "--tp-size", "2"]
    after = changed(FLOW, RemoveOption(words_of(FLOW, "--tp-size", "2")))
    assert after == FLOW.replace('"--tp-size", "2",  # two cards\n           ', "")


@pytest.mark.parametrize("text", [BLOCK, FLOW])
def test_a_list_that_loses_every_item_stays_a_list(text: str) -> None:
    words = [word for word in launch_of(text).words if word.text not in ("--model-path", "/m/wren") or text is BLOCK]
    after = changed(text, RemoveOption(tuple(words)))
    root = yaml.safe_load(after)
    assert root["containers"][0]["args"] == []


@pytest.mark.parametrize(
    ("text", "names", "value", "old", "new"),
    [
        (BLOCK, ("--tp-size", "2"), "8", '"2"', '"8"'),
        (BLOCK, ("--model-path", "/m/wren"), "8", "- /m/wren", '- "8"'),
        (BLOCK, ("--model-path", "/m/wren"), "a: b", "- /m/wren", '- "a: b"'),
        (EQUALS, ("--tp-size=2",), "8", "'--tp-size=2'", "'--tp-size=8'"),
        (EQUALS, ("--model-path=/m/wren",), "it's", "/m/wren", "it's"),
        (EQUALS, ("--model-path=/m/wren",), "a #b", "--model-path=/m/wren", '"--model-path=a #b"'),
        (FLOW, ("--tp-size", "2"), "a,b", '"2"', '"a,b"'),
    ],
)
def test_a_value_is_set_in_its_quoting(text: str, names: tuple[str, ...], value: str, old: str, new: str) -> None:
    assert changed(text, SetValue(words_of(text, *names), value)) == text.replace(old, new)


def test_a_value_in_a_map_keeps_its_comment() -> None:
    after = changed(VALUES, SetValue(words_of(VALUES, "--tp-size", "2"), "8"))
    assert after == VALUES.replace("tp-size: 2", "tp-size: 8")


def test_a_map_entry_is_removed_added_and_renamed() -> None:
    after = changed(VALUES, RemoveOption(words_of(VALUES, "--tp-size", "2")))
    assert after == VALUES.replace("  tp-size: 2 # cards\n", "")
    after = changed(VALUES, AddOption("--page-size", "64"), AddOption("--enable-metrics"))
    assert after == VALUES + "  page-size: 64\n  enable-metrics: true\n"
    after = changed(VALUES, RenameFlag(words_of(VALUES, "--tp-size")[0], "--tensor-parallel-size"))
    assert after == VALUES.replace("tp-size", "tensor-parallel-size")


@pytest.mark.parametrize(
    ("text", "added"),
    [
        (BLOCK, "      - --attention-backend\n      - triton\n"),
        (EQUALS, "    - '--attention-backend=triton'\n"),
    ],
)
def test_an_option_is_added_in_the_notation_in_use(text: str, added: str) -> None:
    assert changed(text, AddOption("--attention-backend", "triton")) == text + added


def test_an_option_added_to_a_flow_list_stands_before_its_end() -> None:
    after = changed(FLOW, AddOption("--page-size", "1"))
    assert after == FLOW.replace('"--enable-metrics"]', '"--enable-metrics", "--page-size", "1"]')


def test_line_ends_stay_as_they_are() -> None:
    text = BLOCK.replace("\n", "\r\n")
    after = changed(text, RemoveOption(words_of(text, "--tp-size", "2")), AddOption("--page-size", "64"))
    assert "\n" not in after.replace("\r\n", "")
    assert texts(launch_of(after))[-2:] == ["--page-size", "64"]


def test_an_image_tag_is_replaced_and_a_digest_is_not() -> None:
    assert changed(BLOCK, SetImageTag("v0.5.20")) == BLOCK.replace("v0.5.18-cu129", "v0.5.20")
    pinned = BLOCK.replace("-cu129", "-cu129@sha256:" + "0" * 64)
    with pytest.raises(CannotEdit, match="digest"):
        changed(pinned, SetImageTag("v0.5.20"))


def test_words_that_come_through_an_alias_are_left_alone() -> None:
    text = BLOCK.replace("args:", "args: &flags") + (
        "  - image: other\n    command: [python3, -m, sglang.launch_server]\n    args: *flags\n"
    )
    _, second = read(Document("pod.yaml", text, "yaml"), Sources.none()).launches
    with pytest.raises(CannotEdit, match="flags"):
        second.editor.edits(second, [RemoveOption(second.words[:2])])


OPTIONS = ("--model-path /m/wren", "--tp-size 2", "--mem-fraction-static 0.8", "--served-model-name it's", "--trust")


@st.composite
def manifests(draw: st.DrawFn) -> str:
    """A container whose args are written in some list layout."""
    chosen = draw(st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=5, unique=True))
    joined = draw(st.booleans())
    words: list[str] = []
    for option in chosen:
        words += [option.replace(" ", "=", 1)] if joined else option.split(" ")
    quote = st.sampled_from(['"', "'", ""])
    items = [_quoted(word, draw(quote)) for word in words]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    indent = draw(st.sampled_from(["", "  ", "    "]))
    comment = draw(st.sampled_from(["", "  # remark 😀"]))
    flow = draw(st.booleans())
    if flow:
        body = " [" + draw(st.sampled_from([", ", ",\n      "])).join(items) + draw(st.sampled_from(["", ","])) + "]"
    else:
        body = "".join(f"\n{indent}    - {item}{comment if index % 2 else ''}" for index, item in enumerate(items))
    text = f"a:\n  - image: lmsysorg/sglang:v0.5.18\n    command: [python3, -m, sglang.launch_server]\n    args:{body}"
    tail = draw(st.sampled_from(["", "\n", "\n    env: []\n"]))
    return (text + tail).replace("\n", newline)


def _quoted(word: str, quote: str) -> str:
    if quote == "'":
        return "'" + word.replace("'", "''") + "'"
    needs = re.fullmatch(r"[\d.]+", word)
    return f'"{word}"' if quote == '"' or needs else word


@settings(derandomize=True, deadline=None, max_examples=300)
@given(manifests(), st.data())
def test_after_a_removal_all_other_words_and_texts_stand(text: str, data: st.DataObject) -> None:
    launch = launch_of(text)
    start = data.draw(st.integers(0, len(launch.words) - 1))
    end = data.draw(st.integers(start + 1, len(launch.words)))
    after = apply_edits(text, launch.editor.edits(launch, [RemoveOption(launch.words[start:end])]))
    assert texts(launch_of_or_none(after)) == texts(launch)[:start] + texts(launch)[end:]
    kept = [text[word.span.start : word.span.end] for word in (*launch.words[:start], *launch.words[end:])]
    at = 0
    for piece in kept:
        at = after.index(piece, at) + len(piece)
    assert after.startswith(text[: text.index("args:") + 5])


def launch_of_or_none(text: str) -> Launch:
    yaml.safe_load(text)
    return launch_of(text)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(manifests(), st.text(alphabet="ab:#'\" ,-{}\\é😀8.", min_size=1, max_size=8))
def test_adding_then_removing_gives_an_equal_launch(text: str, value: str) -> None:
    assume(not value.startswith("-"))
    launch = launch_of(text)
    added = apply_edits(text, launch.editor.edits(launch, [AddOption("--served-model-name", value)]))
    again = launch_of(added)
    new = again.words[len(launch.words) :]
    assert texts(again)[: len(launch.words)] == texts(launch)
    assert [word.text for word in new] in (["--served-model-name", value], [f"--served-model-name={value}"])
    back = apply_edits(added, again.editor.edits(again, [RemoveOption(new)]))
    assert texts(launch_of(back)) == texts(launch)
    newline = "\r\n" if "\r\n" in text else "\n"
    assert back == text or back.rstrip("\r\n") == text.rstrip("\r\n") or back == text + newline


@settings(derandomize=True, deadline=None, max_examples=300)
@given(manifests(), st.text(alphabet="ab:#'\" ,-{}\\é😀8.", min_size=1, max_size=8), st.data())
def test_setting_a_value_changes_that_word_only(text: str, value: str, data: st.DataObject) -> None:
    launch = launch_of(text)
    flags = [index for index, word in enumerate(launch.words) if (word.text or "").startswith("--tp-size")]
    assume(flags)
    index = flags[0]
    words = launch.words[index : index + (1 if "=" in (launch.words[index].text or "") else 2)]
    after = apply_edits(text, launch.editor.edits(launch, [SetValue(words, value)]))
    expected = texts(launch)
    expected[index + len(words) - 1] = value if len(words) == 2 else f"--tp-size={value}"
    assert texts(launch_of(after)) == expected


@pytest.mark.parametrize(
    ("command", "value", "written"),
    [
        ("bash -c 'sglang serve m'", "a b", r"bash -c 'sglang serve m --api-key '\''a b'\'''"),
        ('bash -c "sglang serve m"', 'a "b', r'''bash -c "sglang serve m --api-key 'a \"b'"'''),
        ("bash -c 'sglang serve m --tp 2'", "k", "bash -c 'sglang serve m --tp 2 --api-key k'"),
    ],
)
def test_a_script_in_the_quotes_of_a_compose_string_is_written_with_them(
    command: str, value: str, written: str
) -> None:
    text = f"services:\n  s:\n    image: lmsysorg/sglang:v0.5.18\n    command: {command}\n"
    (launch,) = read(Document("compose.yaml", text, "yaml"), Sources.none()).launches
    new = apply_edits(text, launch.editor.edits(launch, [AddOption("--api-key", value)]))
    assert new == text.replace(command, written)
    (after,) = read(Document("compose.yaml", new, "yaml"), Sources.none()).launches
    assert [word.text for word in after.words][-2:] == ["--api-key", value]


def test_a_dollar_is_not_written_into_a_script_that_compose_reads_first() -> None:
    text = "services:\n  s:\n    image: lmsysorg/sglang:v0.5.18\n    command: bash -c 'sglang serve m'\n"
    (launch,) = read(Document("compose.yaml", text, "yaml"), Sources.none()).launches
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [AddOption("--api-key", "a$b")])
