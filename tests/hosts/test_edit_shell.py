"""Edits of shell launches: what remains is exactly what was meant, written as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue, hosts
from sglint.hosts.embedding import Embedding
from sglint.hosts.shell_script import Script, line_feeds
from sglint.hosts.shell_syntax import parse
from sglint.launch import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetImageTag, SetValue
from sglint.launch.argv import parse as parse_argv
from sglint.text import Document, Mapped, Sources, apply_edits

from .extraction import Case, cases
from .script_maker import make_script


def launches_of(text: str) -> tuple[Launch, ...]:
    return hosts.read(Document("a.sh", text, "shell"), Sources.none()).launches


def options_of(launch: Launch):
    return parse_argv(launch.words, catalogue.load("0.5.18"), serve=launch.launcher == "serve").options


def words(launch: Launch, flag: str):
    return next(option.words for option in options_of(launch) if option.written == flag)


def edited(text: str, *changes: Change, number: int = 0) -> str:
    launch = launches_of(text)[number]
    return apply_edits(text, launch.editor.edits(launch, changes))


def removed(text: str, *flags: str, number: int = 0) -> str:
    launch = launches_of(text)[number]
    return edited(text, *[RemoveOption(words(launch, flag)) for flag in flags], number=number)


CONTINUED = """\
python3 -m sglang.launch_server \\
  --model-path m \\
  --tp-size 2 \\
  --port 30000
"""


def test_an_option_on_its_own_continued_line_goes_with_the_line():
    assert removed(CONTINUED, "--tp-size") == CONTINUED.replace("  --tp-size 2 \\\n", "")


def test_the_last_option_leaves_no_dangling_backslash():
    assert removed(CONTINUED, "--port") == CONTINUED.replace(" \\\n  --port 30000", "")


def test_neighbouring_options_go_together():
    assert removed(CONTINUED, "--tp-size", "--port").endswith("--model-path m\n")


def test_all_options_can_go():
    assert removed(CONTINUED, "--model-path", "--tp-size", "--port") == "python3 -m sglang.launch_server\n"


def test_the_first_of_two_on_a_continued_line():
    text = "python -m sglang.launch_server \\\n    --tp-size 4 --dp-size 2 \\\n    --port 1\n"
    assert removed(text, "--tp-size") == text.replace("--tp-size 4 ", "")
    assert removed(text, "--dp-size") == text.replace(" --dp-size 2", "")


def test_a_comment_behind_the_last_option_stays_a_comment():
    text = "python3 -m sglang.launch_server --model-path m --tp-size 2 # two\n"
    assert removed(text, "--tp-size") == "python3 -m sglang.launch_server --model-path m # two\n"


def test_a_redirection_behind_the_last_option_stays():
    text = "python3 -m sglang.launch_server \\\n  --model-path m \\\n  --tp-size 2 > log 2>&1 &\n"
    assert removed(text, "--tp-size") == "python3 -m sglang.launch_server \\\n  --model-path m \\\n  > log 2>&1 &\n"


def test_crlf_endings_stay():
    text = CONTINUED.replace("\n", "\r\n")
    assert removed(text, "--port") == text.replace(" \\\r\n  --port 30000", "")
    assert edited(text, AddOption("--dp-size", "2")) == text.replace("30000", "30000 \\\r\n  --dp-size 2")


ARRAY = """\
ARGS=(
  --model-path m
  # how many
  --tp-size 2  # two
  --port 30000
)
ARGS+=(--enable-metrics --dp-size 2)
python3 -m sglang.launch_server "${ARGS[@]}" --log-level info
"""


def test_an_element_of_an_array_goes_with_its_line():
    assert removed(ARRAY, "--port") == ARRAY.replace("  --port 30000\n", "")
    assert removed(ARRAY, "--enable-metrics") == ARRAY.replace("--enable-metrics ", "")
    assert removed(ARRAY, "--dp-size") == ARRAY.replace(" --dp-size 2", "")


def test_an_empty_array_is_left_empty():
    assert removed(ARRAY, "--enable-metrics", "--dp-size") == ARRAY.replace("--enable-metrics --dp-size 2", "")


STRING = """\
OPTS="--trust-remote-code --page-size 16"
OPTS="$OPTS --schedule-policy lpm"
TP=2
python3 -m sglang.launch_server --model-path m $OPTS --tp-size $TP
"""


def test_words_in_a_string_variable_are_edited_inside_its_quotes():
    assert removed(STRING, "--trust-remote-code") == STRING.replace("--trust-remote-code ", "")
    assert removed(STRING, "--page-size") == STRING.replace(" --page-size 16", "")
    assert removed(STRING, "--schedule-policy") == STRING.replace(" --schedule-policy lpm", "")
    launch = launches_of(STRING)[0]
    assert edited(STRING, SetValue(words(launch, "--page-size"), "64")) == STRING.replace("16", "64")
    with pytest.raises(CannotEdit, match="split at blanks"):
        edited(STRING, SetValue(words(launch, "--page-size"), "a b"))


def test_a_value_from_a_variable_is_not_overwritten_but_may_go():
    launch = launches_of(STRING)[0]
    with pytest.raises(CannotEdit, match="variable"):
        edited(STRING, SetValue(words(launch, "--tp-size"), "4"))
    assert removed(STRING, "--tp-size") == STRING.replace(" --tp-size $TP", "")


@pytest.mark.parametrize(
    ("written", "value", "new"),
    [
        ("--host a", "b", "--host b"),
        ('--host "a"', "b", "--host b"),
        ("--host=a", "b", "--host=b"),
        ("--host='a b'", "c d", "--host='c d'"),
        ("--host a", '{"k": 1}', "--host '{\"k\": 1}'"),
        ("--host", "b", "--host b"),
    ],
)
def test_a_value_is_set(written: str, value: str, new: str):
    text = f"sglang serve --model-path m {written}\n"
    launch = launches_of(text)[0]
    assert edited(text, SetValue(words(launch, "--host"), value)) == f"sglang serve --model-path m {new}\n"


def test_several_values_become_one():
    text = "sglang serve --model-path m --cuda-graph-bs 1 2 4 --port 1\n"
    launch = launches_of(text)[0]
    assert edited(text, SetValue(words(launch, "--cuda-graph-bs"), "8")) == text.replace("1 2 4", "8")


@pytest.mark.parametrize("written", ["--mem-frac 1", '--mem-f"rac" 1', "--mem-frac=1"])
def test_a_flag_is_renamed(written: str):
    text = f"sglang serve --model-path m {written}\n"
    launch = launches_of(text)[0]
    new = edited(text, RenameFlag(words(launch, "--mem-frac")[0], "--mem-fraction-static"))
    assert new == f"sglang serve --model-path m --mem-fraction-static{written[-2:]}\n"


def test_an_option_is_added_in_the_layout_in_use():
    assert edited(CONTINUED, AddOption("--dp-size", "2")) == CONTINUED.replace("30000", "30000 \\\n  --dp-size 2")
    line = 'sglang serve --model-path m "$@" > log &\n'
    assert edited(line, AddOption("--enable-metrics")) == line.replace(" >", " --enable-metrics >")


def test_removing_the_last_and_adding_one_at_once():
    launch = launches_of(CONTINUED)[0]
    new = edited(CONTINUED, RemoveOption(words(launch, "--port")), AddOption("--host", "h"))
    assert new == CONTINUED.replace("--port 30000", "--host h")


def test_image_tags_change_where_they_are_written():
    text = 'I=${I:-lmsysorg/sglang:v0.5.16}\ndocker run "$I" sglang serve --model-path m\n'
    assert edited(text, SetImageTag("v0.5.21")) == text.replace("v0.5.16", "v0.5.21")
    with pytest.raises(CannotEdit, match="digest"):
        edited("docker run a/sglang:v1@sha256:00 sglang serve --model-path m\n", SetImageTag("v2"))
    with pytest.raises(CannotEdit):
        edited("sglang serve --model-path m\n", SetImageTag("v2"))


NESTED = """ssh h "docker exec c bash -c 'python3 -m sglang.launch_server --model-path \\"/m/a b\\" --port 1'"\n"""


def test_scripts_in_scripts_are_edited_through_all_their_quotes():
    assert removed(NESTED, "--model-path") == NESTED.replace(' --model-path \\"/m/a b\\"', "")
    new = edited(NESTED, AddOption("--served-model-name", 'it"s'))
    launch = launches_of(new)[0]
    assert words(launch, "--served-model-name")[1].text == 'it"s'


def test_words_that_an_outer_variable_brings_are_edited_there():
    text = "P='--port 1'\nbash -c \"python3 -m sglang.launch_server --model-path m $P --tp 2\"\n"
    assert removed(text, "--tp") == text.replace(" --tp 2", "")
    new = edited(text, SetValue(words(launches_of(text)[0], "--port"), "4 5"))
    assert words(launches_of(new)[0], "--port")[1].text == "4 5"


def _parses(text: str) -> bool:
    script = Script(line_feeds(Embedding(Mapped.identity(text))))
    return not parse(script.text).has_error


def _signature(launch: Launch) -> list[tuple[str, tuple[str | None, ...], str]]:
    return [(option.written, option.raw, option.presence) for option in options_of(launch)]


def check_each_option(text: str) -> int:
    """Removal takes one option and nothing else; what is added again gives an equal launch."""
    tried = 0
    for number, launch in enumerate(launches_of(text)):
        before = _signature(launch)
        options = options_of(launch)
        for option in options:
            try:
                edits = launch.editor.edits(launch, [RemoveOption(option.words)])
            except CannotEdit:
                continue
            tried += 1
            new = apply_edits(text, edits)
            assert _parses(new) or not _parses(text), option.written
            left = launches_of(new)
            if launch.launcher == "none" and len(left) <= number:
                continue  # with one flag fewer nothing tells a server any more
            after = left[number]
            if "set --" in text and ("$#" in text or '"$1"' in text):
                continue  # a script that asks for its parameters goes other ways with fewer of them
            # An array used twice brings the same written words twice.
            kept = [line for line, other in zip(before, options, strict=True) if other.flag_span != option.flag_span]
            assert _signature(after) == kept, (option.written, new)
            if len(kept) < len(before) - 1:
                continue
            value = option.raw[0] if len(option.raw) == 1 else None
            if option.presence == "maybe" or None in option.raw or len(option.raw) > 1:
                continue
            try:
                added = after.editor.edits(after, [AddOption(option.written, value)])
            except CannotEdit:
                continue  # the last words are written in a loop that brings them several times
            back = apply_edits(new, added)
            again = _signature(launches_of(back)[number])
            assert sorted(map(str, again)) == sorted(map(str, before)), (option.written, back)
    return tried


@pytest.mark.parametrize("case", cases("shell", "slurm"), ids=lambda case: case.name)
def test_each_option_of_each_case_can_go_and_come_back(case: Case) -> None:
    assert check_each_option(case.text) or not case.expected["launches"]


@settings(derandomize=True, deadline=None, max_examples=120)
@given(st.integers(1_000, 100_000))
def test_each_option_of_a_made_script_can_go_and_come_back(number: int) -> None:
    check_each_option(make_script(number))


def test_an_option_behind_a_variable_stands_in_the_quotes_of_its_use():
    text = 'PORT=30000\ntmux new -d "sglang serve --model-path m --port $PORT 2>&1 | cat"\n'
    assert edited(text, AddOption("--enable-metrics", None)) == text.replace("$PORT", "$PORT --enable-metrics")
    with pytest.raises(CannotEdit):
        edited(text.replace(" 2>&1 | cat", ""), AddOption("--enable-metrics", None))


@pytest.mark.parametrize("tail", ['--served-model-name "a b', "--served-model-name 'a\necho x", "--port $(get"])
def test_nothing_is_added_behind_a_quote_that_is_not_closed(tail):
    with pytest.raises(CannotEdit):
        edited(f"sglang serve --model-path m {tail}\n", AddOption("--enable-metrics", None))
