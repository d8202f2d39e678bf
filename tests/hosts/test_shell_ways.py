"""Command lines that a variable may hold: one of several by a condition, with what is added to each of them."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import Launch
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, Sources


def launches(text: str) -> list[str]:
    """Launcher and words of each launch: ``?`` after a maybe word, ``*`` for a hole, ``_`` for an unknown one."""
    return [_shown(launch) for launch in hosts.read(Document("a.sh", text, "shell"), Sources.none()).launches]


def _shown(launch: Launch) -> str:
    shown = [launch.launcher]
    for word in launch.words:
        mark = "?" if word.presence == "maybe" else ""
        shown.append("*" if word.many else ("_" if word.text is None else word.text) + mark)
    return " ".join(shown)


ONE_OF_TWO = 'if a; then C="{}"; else C="{}"; fi\n'


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # The text of a command grows under a condition, behind words that are not known.
        ('C="sglang serve m $E"\nif a; then C="$C --tp $N"; fi\neval "$C"', ["serve m _ --tp? _?"]),
        ('C="sglang serve m $E"\na && C+=" -x"\nsetsid bash -c "$C" >log 2>&1 &', ["serve m _ -x?"]),
        ('C="$P sglang serve m $E"\nif a; then C="$C -x"; fi\nif b; then C="$C -y"; fi\n$C', ["serve m * -x? -y?"]),
        # One of two programs.
        (
            'if a; then C="sglang serve m"; else C="python -m sglang.launch_server -x"; fi\neval "$C"',
            ["serve m", "launch_server -x"],
        ),
        ('if a; then C="vllm serve m"; else C="sglang serve m"; fi\nnohup $C --port 1 &', ["serve m --port 1"]),
        ('if a; then C=(./own.py); else C=(sglang serve); fi\nC+=(m)\nexec "${C[@]}"', ["serve m"]),
        ('C=()\nif a; then C=(sglang serve m); else C=(vllm serve m); fi\n"${C[@]}" -x', ["serve m -x"]),
        ('C=""\nif a; then C="sglang serve m"; fi\nC+=" -x"\nbash -c "$C"', ["serve m -x"]),
        ('C="vllm serve m"\nif a; then C="sglang serve m"; fi\n$C', ["serve m"]),
        ('case $1 in a) C="sglang serve a";; b) C="sglang serve b";; esac\n$C', ["serve a", "serve b"]),
        # What is added to each under a condition is maybe in each.
        (
            'if a; then C="sglang serve m"; else C="sglang serve n"; fi\nif b; then C="$C -x"; fi\nC="$C -y"\n$C',
            ["serve m -x? -y", "serve n -x? -y"],
        ),
        # Through other variables, calls and parameters.
        ('if a; then L="sglang serve"; else L="vllm serve"; fi\nC="env A=1 $L m"\n$C', ["serve m"]),
        ('if a; then L="sglang serve"; else L="vllm serve"; fi\nrun() { "$@" -x; }\nrun $L m', ["serve m -x"]),
        ('if a; then set -- sglang serve m; else set -- vllm serve m; fi\nexec "$@"', ["serve m"]),
        ('case $1 in a) set -- sglang serve a "$@";; esac\nexec "$@"', ["serve a *"]),
        (
            'if a; then set -- sglang serve m; else set -- sglang serve n; fi\nset -- "$@" -x\n"$@"',
            ["serve m -x", "serve n -x"],
        ),
        # A variable that holds no server's command line stays one that is not known.
        ('if a; then C="vllm serve m"; else C="tgi m"; fi\n$C', []),
        ("X=a\nif a; then X=b; fi\nsglang serve $X", ["serve _"]),
        # What may be empty, or has blanks, may be no word or several.
        ("if a; then X=b; fi\nsglang serve $X", ["serve *"]),
        ("X=a\nif a; then X='b c'; fi\nsglang serve $X", ["serve *"]),
        ("X=\nfor i in $(b); do X=$X$i; done\nsglang serve $X", ["serve *"]),
        ("if a; then X=-x; else X=-y; fi\nY=m$X\nsglang serve $Y", ["serve *"]),
        ('A=("${B[@]: -1}")\nC=("${A[@]}" -x)\nsglang serve "${C[@]}"', ["serve * -x"]),
    ],
)
def test_a_launch_for_each_command_line_a_variable_may_hold(script: str, expected: list[str]) -> None:
    assert launches(script) == expected


def test_another_variable_keeps_its_command_lines() -> None:
    script = (
        'if a; then C="sglang serve m"; else C="vllm serve m"; fi\n'
        'if a; then D="sglang serve n"; else D="vllm serve n"; fi\n$C\n$D\n$C -x'
    )
    assert launches(script) == ["serve m", "serve m -x", "serve n"]


def test_very_many_command_lines_are_not_followed() -> None:
    branches = "".join(f'{index}) C="sglang serve m{index}";;\n' for index in range(60))
    assert launches(f"case $1 in\n{branches}esac\n$C") == []


def test_each_has_its_own_findings() -> None:
    script = 'if a; then C="sglang serve --bogus-x 1"; else C="sglang serve --bogus-y 1"; fi\n$C --model-path m\n'
    report = lint(Document("a.sh", script, "shell"), Settings())
    spans = [finding.span for finding in report.findings if finding.code == "SGL020"]
    assert [script[span.start : span.end] for span in spans] == ["--bogus-x", "--bogus-y"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("ls | xargs -I{} sglang serve --model-path {} --tp-size 2", ["serve --model-path _ --tp-size 2"]),
        ("xargs -a f -I % sh -c 'sglang serve --model-path=%/x --port 1'", ["serve _ --port 1"]),
        ("echo m | xargs -n1 -P 2 sglang serve --port 1", ["serve --port 1 *"]),
        ("ls | xargs --replace sglang serve --model-path {}", ["serve --model-path _"]),
        (r"find . -name x -exec sglang serve --model-path {} --port 1 \;", ["serve --model-path _ --port 1"]),
        ("parallel sglang serve --model-path {} --port 300{#} ::: a b", ["serve --model-path _ --port _"]),
        ("parallel -j 2 'CUDA_VISIBLE_DEVICES={%} sglang serve --model-path {1}' ::: a b", ["serve --model-path _"]),
        ("A=$(echo a | xargs)\nxargs -I\nfind\nparallel\nsglang serve m", ["serve m"]),
        ("find . -name 'sglang' -delete\nls | xargs rm sglang\nparallel < sglang", []),
    ],
)
def test_words_that_another_program_fills_in_are_not_known(script: str, expected: list[str]) -> None:
    assert launches(script) == expected
