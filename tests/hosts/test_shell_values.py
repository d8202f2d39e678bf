"""How sure we are of a word: what conditions, loops, calls and the outside leave of it."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import Launch, Reading
from sglint.text import Document, Sources, apply_edits

SERVE = "sglang serve --model-path m"


def read(text: str) -> Reading:
    return hosts.read(Document("a.sh", text, "shell"), Sources.none())


def launch(text: str) -> Launch:
    (found,) = read(text).launches
    return found


def words(text: str) -> list[str]:
    """Words behind ``--model-path m``: ``?`` after a maybe one, ``*`` for a hole, ``_`` for an unknown one."""
    shown = []
    for word in launch(text).words[2:]:
        mark = "?" if word.presence == "maybe" else ""
        shown.append("*" if word.many else ("_" if word.text is None else word.text) + mark)
    return shown


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('A=(-x)\n[ "$1" ] && A+=(-y)\nLAUNCH "${A[@]}"', ["-x", "-y?"]),
        ('if a; then A=(-x); else A=(-y); fi\nLAUNCH "${A[@]}"', ["-x?", "-y?"]),
        ("X=-x\nif a; then X=-y; fi\nLAUNCH $X", ["-x?", "-y?"]),
        ("X=1\nif a; then X=2; fi\nLAUNCH --tp $X", ["--tp", "_"]),
        ("X=1\nif a; then X=1; fi\nLAUNCH --tp $X", ["--tp", "_"]),
        ("X=1\nif a; then exit 1; fi\nLAUNCH --tp $X", ["--tp", "1"]),
        ("X=1\n[ -d y ] || { X=2; exit 1; }\nLAUNCH --tp $X", ["--tp", "1"]),
        ("cd /x && X=2 && LAUNCH --tp $X", ["--tp", "2"]),
        ("(X=2)\nX=1\nLAUNCH --tp $X", ["--tp", "1"]),
        ("X=1\n(X=2)\nLAUNCH --tp $X", ["--tp", "1"]),
        ("X=1\necho | X=2\nLAUNCH --tp $X", ["--tp", "1"]),
        ("X=1\nread X\nLAUNCH --tp $X", ["--tp", "_"]),
        ("X=1\nf() { X=2; }\nf\nLAUNCH --tp $X", ["--tp", "2"]),
        ("X=1\nf() { local X=2; }\nf\nLAUNCH --tp $X", ["--tp", "1"]),
        ("X=1\nfor i in a b; do LAUNCH --tp $X; X=2; done", ["--tp", "_"]),
        ('A=(-x)\nfor i in a b; do A+=(-y); done\nLAUNCH "${A[@]}"', ["-x", "-y", "-y"]),
        ("X=a\nunset X\nLAUNCH $X", []),
        ("LAUNCH ${X:+-x} -y", ["*", "-y"]),
        ("X=1\nLAUNCH ${X:+--tp $X}", ["--tp", "1"]),
        ("LAUNCH ~/x --port={1,2}", ["_", "_"]),
        ('A=(a "b c")\nLAUNCH --api-key "${A[*]}"', ["--api-key", "a b c"]),
        ('A=(a "b c")\nLAUNCH --api-key "${A[1]}"', ["--api-key", "b c"]),
        ("LAUNCH --enable-metrics $EXTRA", ["--enable-metrics", "*"]),
        ("LAUNCH --port $PORT", ["--port", "_"]),
        ('LAUNCH --host "$HOST:1"', ["--host", "_"]),
    ],
)
def test_words(script: str, expected: list[str]) -> None:
    assert words(script.replace("LAUNCH", SERVE) + "\n") == expected


def test_a_word_known_in_part_keeps_its_known_part() -> None:
    (word,) = launch(f"{SERVE} --tp-size=$TP\n").words[2:]
    assert word.known_prefix == "--tp-size="


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("A=1 LAUNCH", {"A": "1"}),
        ("export A=1\nLAUNCH", {"A": "1"}),
        ("A=1\nLAUNCH", {}),
        ("set -a\nA=1\nLAUNCH", {"A": "1"}),
        ("export A=1\ndocker run -e B=2 x/sglang:v0.5.18 LAUNCH", {"B": "2"}),
        ("export A=1\nbash -c 'LAUNCH'", {"A": "1"}),
        ("A=1\nexport A\nLAUNCH", {"A": "1"}),
    ],
)
def test_environment(script: str, expected: dict[str, str]) -> None:
    found = launch(script.replace("LAUNCH", SERVE) + "\n").env
    assert {variable.name: variable.value for variable in found} == expected


def test_a_variable_reaches_an_inner_shell_only_when_exported() -> None:
    script = "{}TP=2\nbash -c 'sglang serve --model-path m --tp $TP'\n"
    assert words(script.format("")) == ["--tp", "_"]
    assert words(script.format("export ")) == ["--tp", "2"]


@pytest.mark.parametrize("variant", ["crlf", "bom", "emoji", "tabs"])
def test_places_move_with_the_text_around(variant: str) -> None:
    text = f'A=(--tp 2)\nif a; then\n  {SERVE} \\\n    --port 1 "${{A[@]}}"\nfi\n'
    changed = {
        "crlf": text.replace("\n", "\r\n"),
        "bom": "\ufeff" + text,
        "emoji": "# 🚀 naïve\n" + text,
        "tabs": text.replace("    ", "\t"),
    }[variant]
    before, after = launch(text), launch(changed)
    cut = [changed[word.span.start : word.span.end] for word in after.words]
    assert cut == [text[word.span.start : word.span.end] for word in before.words]
    assert [word.text for word in after.words] == [word.text for word in before.words]
    assert apply_edits(changed, after.editor.edits(after, [])) == changed
