"""Values that the script computes: wherever one is claimed, the real bash computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import hosts
from sglint.hosts.shell_arithmetic import evaluate
from sglint.launch import Word
from sglint.text import Document, Sources

from .bash_judge import agrees, run, stubs

SURE = [
    ("X=a/b.c.d", "${X##*/} ${X%.*} ${X%%.*} ${X#*.} ${X#?} ${X%[cd]} ${X%x}"),
    ("X=a/b.c.d", "${X/./-} ${X//./-} ${X//[abc]} ${X/#a/z} ${X/%d/z} ${X/%b/z} ${X//\\//_} ${X/*./}"),
    ("X=aBc", "${X^} ${X^^} ${X,} ${X,,} ${#X} ${X:1} ${X:0:2} ${X: -1} ${X:1:-1}"),
    ("X=a Y=X", "${!Y} ${X:+b} ${X+c} ${Z-x}"),
    ("S=.d X=a.d.d", '"${X%"$S"}" "${X%%$S}" "${X//"$S"/}"'),
    ("P='*' X=a*b", '"${X%"$P"b}" ${X#$P}'),
    ("N=4 M=$((N * 2 + 1)) K=$(( (N<<2) % 5 == 1 ? -N : 7 ))", "$M $K $((1 + 2)) $((7 / -2)) $((2**10)) $((0x1f))"),
    ("N=1; ((N++)); ((N*=3)); let N=N+1", "$N"),
    ("N=1; ((N > 0)) && M=2", "$N"),
    ("A=(a 'b c' d)", '"${A[-1]}" "${A[1]}" ${#A[@]} "${A[@]:1}" "${A[@]:0:1}" "${#A[1]}"'),
    ("A=(a b c) I=1", '"${A[I]}" "${A[$I + 1]}" ${A[$((I-1))]}'),
    ("A=(a b); A[1]=x; A[2]=y", '"${A[@]}"'),
    ("declare -A M=([x]=1 ['y z']=2); M[w]=3; K=x", '${M[x]} ${M["y z"]} ${M[w]} ${M[$K]} ${#M[@]}'),
    ("declare -A M; M[a]=b", '"${M[@]}" ${M[a]}'),
    ("printf -v X '%s-%s' a b; Y=$(echo one  two); Z=`printf x`", "$X $Y $Z $(echo 'a  b') \"$(echo 'a  b')\""),
    ("f() { local P=$1; shift; LAUNCH $P \"$@\" ${3:-z} $#; }; f a 'b c' d; :", None),
    ('f() { LAUNCH "$2" "${2:-d}" ${3:-} ${1:+y} ; }; f \'\'', None),
    ("set -- a b c; shift", '"$@" "$1" $# "${@:2}"'),
    ('for F in a b; do A+=(--lora "$F"); S="$S $F"; done', '"${A[@]}"'),
    ("for N in 1 2; do for M in x y; do A+=($N$M); done; done", '"${A[@]}"'),
    ("X=; unset Y", '"$X" "$Y" ${Y-q} ${X-r} ${X:-s} e'),
    ("X=$(echo)", 'a$X"$X"'),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("judge")
    stubs(place)
    return place


def _script(before: str, words: str | None) -> str:
    launch = "sglang serve --model-path m"
    return before.replace("LAUNCH", launch) + "\n" + (f"{launch} {words}\n" if words else "")


def _words(text: str) -> tuple[Word, ...]:
    (launch,) = hosts.read(Document("a.sh", text, "shell"), Sources.none()).launches
    return launch.words


@pytest.mark.parametrize(("before", "words"), SURE)
def test_computed_words_are_certain_and_those_of_bash(before: str, words: str | None, folder: Path) -> None:
    text = _script(before, words)
    (ran,) = run(text, folder)
    assert [word.text for word in _words(text)] == ran


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("X=a", "${X%$OUTSIDE}"),
        ("shopt -s extglob; X=aab", "${X##+(a)}"),
        ("X=aBc", "${X%%[a-z]}"),
        ("X=é", "${#X} ${X^}"),
        ("X=ab", "${X/b/&&}"),
        ("N=$OUTSIDE; M=$((N+1))", "$M"),
        ("N=1; while [ $N -lt 3 ]; do ((N++)); done", "$N"),
        ("bump() { ((N++)); }; N=1; while [ $N -lt 3 ]; do A=$N; bump; done", "$A"),
        ("N=1; X=$((N++))", "$N"),
        ("declare -A M=([a]=1 [b]=2)", '"${M[@]}"'),
        ("for F in a b; do [ $F = b ] && break; A+=($F); done", '"${A[@]}"'),
        ("f() { N=${1:-3}; }; for F in *.none; do A+=($F); done; f", "$N ${A[@]}"),
        ("for F in 1 2; do read X; A+=($X); done", '"${A[@]}"'),
        ("echo() { printf 'other'; }; X=$(echo a)", "$X"),
        ("printf -v X '%05d' 7", "$X"),
        ('f() { sglang serve --model-path m "$@"; }; f --a; f --b --c; exit', None),
    ],
)
def test_what_is_left_open_is_what_may_be(before: str, words: str | None, folder: Path) -> None:
    text = _script(before, words)
    found = _words(text)
    for ran in run(text, folder):
        assert agrees(ran, found), (ran, found)


OPERATORS = ["%", "%%", "#", "##", "/", "//", "/#", "/%"]
PATTERNS = st.lists(st.sampled_from([*"ab*?.!^/", "[ab]", "[!a.]", "[^/]"]), min_size=1, max_size=4).map("".join)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.text("ab./", max_size=8), st.sampled_from(OPERATORS), PATTERNS), min_size=20, max_size=20))
def test_any_pattern_cuts_as_in_bash(folder: Path, cuts: list[tuple[str, str, str]]) -> None:
    lines = [f"X{number}='{text}'" for number, (text, _, _) in enumerate(cuts)]
    words = " ".join(f'"x${{X{number}{operator}{pattern}}}"' for number, (_, operator, pattern) in enumerate(cuts))
    text = _script("\n".join(lines), words)
    (ran,) = run(text, folder)
    assert agrees(ran, _words(text)), (ran, text)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.lists(st.text("12 0+-*/%<>=!&|^()?:~N", min_size=1, max_size=12), min_size=20, max_size=20))
def test_any_expression_is_worth_what_it_is_in_bash(folder: Path, expressions: list[str]) -> None:
    worth = {text: evaluate(text, {"N": 3}.get) for text in expressions}
    sure = [text for text, value in worth.items() if value is not None]
    if not sure:
        return
    script = _script("N=3", " ".join(f'"$(({text}))"' for text in sure))
    (ran,) = run(script, folder)
    assert ran[2:] == [str(worth[text]) for text in sure], script
