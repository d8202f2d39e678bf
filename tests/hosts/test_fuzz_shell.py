"""Half-typed and mangled scripts, images and units: never a fault of ours, always places inside the text."""

from __future__ import annotations

from hypothesis import given, settings

from sglint import hosts
from sglint.text import Document, Sources

from .extraction import cases
from .mangling import check, mangled
from .script_maker import make_script

SHELL_MARKS = r"""
 \ ' " ` $( ${ } ) (( )) $(( << <<EOF EOF <<- && || ; ;; | & > < { # ! * ? [ ] = += $@ "$@" ${X:- ${X%% ${#X} ${A[@]}
 ${A[ $'\x if then fi for do done while case in esac () function set shift local declare -A eval source exec sglang
""".split()
IMAGE_MARKS = [
    '["',
    '", "',
    '"]',
    "\\\n",
    "CMD ",
    "ENTRYPOINT [",
    "FROM x:v0.5.18\n",
    "ARG A=",
    "ENV A=$B ",
    "<<EOF\n",
    "\r\n",
]
UNIT_MARKS = [
    "\\\n",
    "ExecStart=",
    "Environment=",
    "%i",
    "%%",
    "$$",
    "${A}",
    "$A ",
    '"',
    "'",
    "\\x",
    "\n;",
    "\r\n",
    "[Service]\n",
]
SHARED = ["", " ", "\n", "\t", "😀", "\ufeff", "\u2028"]

SHELL = mangled([case.text for case in cases("shell", "slurm")], [*SHELL_MARKS, *SHARED])
MADE = mangled([make_script(number) for number in range(40)], [*SHELL_MARKS, *SHARED])
IMAGE = mangled([case.text for case in cases("dockerfile")], [*IMAGE_MARKS, *SHELL_MARKS, *SHARED])
UNIT = mangled([case.text for case in cases("systemd")], [*UNIT_MARKS, *SHARED])


@settings(derandomize=True, deadline=None, max_examples=200)
@given(SHELL | MADE)
def test_mangled_scripts_are_read_without_a_fault(text: str) -> None:
    check(hosts.read(Document("a.sh", text, "shell"), Sources({"env.sh": text}.get)), text)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(IMAGE)
def test_mangled_images_are_read_without_a_fault(text: str) -> None:
    check(hosts.read(Document("Dockerfile", text, "dockerfile"), Sources.none()), text)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(UNIT)
def test_mangled_units_are_read_without_a_fault(text: str) -> None:
    check(hosts.read(Document("a.service", text, "systemd"), Sources.none()), text)
