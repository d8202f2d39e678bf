"""Made-up start scripts over the wider grammar of bash, in which values are changed in many ways before the launch."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

VALUES = ("wren", "org/wren-7b", "a b", "8", "30000", "0.8", "x-y_z", "UPPER", "/m/x.gguf", "a,b,c", "k=v")
FLAGS = ("--tp-size", "--port", "--model-path", "--served-model-name", "--mem-fraction-static")
BARE = ("--trust-remote-code", "--enable-metrics", "--disable-radix-cache")
EXPANSIONS = (
    "$V ${V} ${V%%/*} ${V##*/} ${V:0:3} ${V/a/Z} ${V//b/} ${V^^} ${V,,} ${V^} ${V:-def} ${V:+alt} ${#V} ${V:_-2} "
    "${V#*=} ${V/#o/Q} ${V/%b/Q} ${V@Q} pre-${V}-post ${UNSET_1:-$V} $(echo_$V) $(printf_%s_$V)"
).split()
"""Ways to use a variable, ``_`` for a blank."""
COMPUTED = ("$((3 + 4))", "$((9 - 2))", '"$((2**3))"', '"$(( 7 > 4 ? 8 : 2 ))"', "$'t\\x41'", "$'q\\n'")
READING = (
    'read -r {v} <<< "one two"',
    'read -r {v} _ <<< "one two"',
    'printf -v {v} "%s-%d" a 3',
    'IFS=, read -r {v} rest <<< "p,q,r"',
    "{v}=$(cat <<EOT\nwren\nEOT\n)",
    'declare -A m_{v}=([a]=one [b]="two words")\n{v}="${{m_{v}[b]}}"',
    'f_{v}() {{ local n=$1; echo "got-$n"; }}\n{v}="$(f_{v} a)"',
    '{v}=""\nfor i_{v} in 1 2 3; do\n  {v}="${v}$i_{v}"\ndone',
    '{v}=""\nfor i_{v} in $(seq 2); do\n  {v}="${v}$i_{v}"\ndone',
    '{v}=""\nfor i_{v} in {{1..3}}; do\n  {v}="${v}$i_{v}"\ndone',
)
LISTING = (
    'mapfile -t {a} <<< "--enable-metrics"',
    'read -r -a {a} <<< "--tp-size 4"',
    'IFS=" " read -ra {a} <<< "--port 1 --enable-metrics"',
    'f_{a}() {{\n  local x="$1"; shift\n  {a}=(--served-model-name "$x" "$@")\n}}\nf_{a} "a b" --enable-metrics',
)
CHANGING = (
    "i_{b}=0\nwhile [ $i_{b} -lt 2 ]; do\n  {a}+=(--enable-metrics)\n  i_{b}=$((i_{b} + 1))\ndone\n{b}=()",
    "f_{b}() {{ local -n r_{b}=$1; r_{b}+=(--port 9); }}\nf_{b} {a}\n{b}=()",
    '{b}=()\nfor x_{b} in "${{{a}[@]}}"; do\n  [[ $x_{b} == --* ]] || continue\n  {b}+=("$x_{b}")\ndone',
    '{b}=("${{{a}[@]:1}}" --port 1)',
    '{b}=("${{{a}[@]: -1}}" --port 2)',
    '{b}=("${{{a}[@]:0:2}}")',
)
TESTS = (
    '[ -n "$V" ]',
    "[[ $V == *a* ]]",
    '[[ "$V" =~ ^[0-9]+$ ]]',
    '[ "$V" = wren ]',
    "[[ -z $V ]]",
    "(( ${#V} > 2 ))",
    "[[ $V != 8 && -n $V ]]",
    'test "$V" = "a b"',
    "[[ $V < m ]]",
)
CONSTANT = (
    "true",
    "false",
    "[ 1 -lt 2 ]",
    '[ -n "$OUTER" ]',
    "[[ -v UNSETX ]]",
    "(( 3 > 4 ))",
    "[ -f /nope ]",
    "! false",
)


class _Maker:
    def __init__(self, number: int) -> None:
        self.dice = random.Random(number)
        self.lines = ["#!/bin/bash"]
        self.count = 0
        self.texts: list[str] = []
        self.lists: list[str] = []

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def value(self) -> str:
        if self.texts and self.dice.random() < 0.6:
            way = self.dice.choice(EXPANSIONS).replace("_", " ").replace("UNSET ", "UNSET_")
            return f'"{way.replace("V", self.dice.choice(self.texts))}"' if "UNSET" not in way else self._or_default()
        return self.dice.choice((*COMPUTED, *(f'"{one}"' for one in VALUES)))

    def _or_default(self) -> str:
        return f'"${{UNSET_1:-${self.dice.choice(self.texts)}}}"'

    def option(self) -> str:
        if self.dice.random() < 0.25:
            return self.dice.choice(BARE)
        return f"{self.dice.choice(FLAGS)}{self.dice.choice((' ', '='))}{self.value()}"

    def options(self, most: int) -> str:
        return " ".join(self.option() for _ in range(self.dice.randint(0, most)))

    def condition(self) -> str:
        if self.texts and self.dice.random() < 0.7:
            return self.dice.choice(TESTS).replace("V", self.dice.choice(self.texts))
        return self.dice.choice(CONSTANT)

    def text(self) -> None:
        name = self.name("t")
        ways = [f"{name}={self.value()}", f"export {name}={self.value()}", self._branches(name)]
        ways += [f"{name}=one; {self.condition()} || {name}=two", self.dice.choice(READING).format(v=name)]
        self.lines.append(self.dice.choice(ways))
        self.texts.append(name)

    def _branches(self, name: str) -> str:
        other = self.dice.choice(("else", f"elif {self.condition()}; then"))
        return f"if {self.condition()}; then\n  {name}={self.value()}\n{other}\n  {name}={self.value()}\nfi"

    def list(self) -> None:
        name = self.name("a")
        self.lines.append(self.dice.choice((f"{name}=({self.options(3)})", self.dice.choice(LISTING).format(a=name))))
        self.lists.append(name)

    def change(self) -> None:
        if not self.lists:
            return self.list()
        name, other = self.dice.choice(self.lists), self.name("b")
        way = self.dice.randint(0, 4)
        if way == 0:
            self.lines.append(f"{name}+=({self.options(2)})")
        elif way == 1:
            self.lines.append(f"{self.condition()} && {name}+=({self.option()})")
        elif way == 2:
            word, pattern = self.dice.choice(VALUES), self.dice.choice(("a*", "*b*", "wren|8", "[0-9]*"))
            add = f"{name}+=({self.option()})"
            self.lines.append(f'case "{word}" in\n  {pattern}) {add} ;;\n  *) {name}+=({self.option()}) ;;\nesac')
        else:
            self.lines.append(self.dice.choice(CHANGING).format(a=name, b=other))
            self.lists.append(other)
        return None

    def positional(self) -> None:
        self.lines.append(f"set -- {self.options(2)} --port 3")
        self.lines.append(self.dice.choice(("shift", ":", 'set -- "$@" --enable-metrics')))

    def launch(self) -> None:
        uses = ["$" + name for name in self.texts] + [f'"${{{name}[@]}}"' for name in self.lists] + ['"$@"']
        words = " ".join(self.dice.choice((self.option, lambda: self.dice.choice(uses)))() for _ in range(3))
        command = f"python3 -m sglang.launch_server {words}"
        ways = [command, f'main() {{\n  {command}\n}}\nmain "$@"', f'CMD=({command})\nexec "${{CMD[@]}}"']
        ways.append(f"for i in 1 2; do\n  {command} --port 300$i &\ndone\nwait")
        self.lines.append(self.dice.choice(ways))


def make_wide(number: int) -> str:
    """The script of this number."""
    maker = _Maker(number)
    steps: Sequence[Callable[[], None]] = (
        maker.text,
        maker.text,
        maker.list,
        maker.change,
        maker.change,
        maker.positional,
    )
    for _ in range(maker.dice.randint(2, 8)):
        maker.dice.choice(steps)()
    maker.launch()
    return "\n".join(maker.lines) + "\n"
