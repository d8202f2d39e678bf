"""Made-up start scripts whose conditions hang on values that the script sets itself, the same for the same number."""

from __future__ import annotations

import random

_VALUES = ("", "1", "08", "-3", "x", "x y", "a*", "[b]", "true", "h200x8", "/m/a.b", '"q"', "-n", "!", "(", "=")
_PATTERNS = (
    "x",
    "x*",
    "*",
    "?",
    "[a-c]",
    "[!x]*",
    '"x y"',
    "h200*",
    "*.b",
    "1|2",
    "a\\*",
    '"$W"',
    "$W",
    "@(x|y)",
    "''",
)
_TESTS = (
    '[ -n "$V" ]',
    '[ -z "$V" ]',
    '[ "$V" = "$W" ]',
    '[ "$V" != x ]',
    "[ $V = x ]",
    "[ $V ]",
    '[ "$V" -gt 1 ]',
    '[ "$N" -le "$M" ]',
    '[ ! "$V" = x ]',
    "[ ! -n $V ]",
    '[ "$V" = x -a "$W" = x ]',
    'test "$V" = "$W"',
    "test $N -eq 8",
    "[[ -n $V ]]",
    "[[ $V == x* ]]",
    "[[ $V = $W ]]",
    '[[ $V != "$W" ]]',
    "[[ $V == [a-c]* || $N -gt 3 ]]",
    "[[ ! ( $V == x && -z $W ) ]]",
    "[[ $V =~ ^[0-9]+$ ]]",
    "[[ $V < $W ]]",
    "[[ $N -ne $M && $V ]]",
    "[[ -v V ]]",
    "[[ ${V:-x} == x ]]",
    '[ "${#V}" -gt 2 ]',
    '[ "${V%.*}" = "$W" ]',
    "(( N > M ))",
    "(( N == 8 || M ))",
    "(( N % 2 ))",
    "((N))",
    "true",
    "false",
    ":",
    "! true",
    '! [ -n "$V" ]',
    "true && false",
    '[ -n "$V" ] || [ "$N" -gt 2 ]',
    'X=$V; [ -n "$X" ]',
    "is_x",
    '[ "$#" -gt 0 ]',
    '[ "$1" = x ]',
    '[ -n "${A[0]}" ]',
    "[ ${#A[@]} -ge 3 ]",
    '[ -n "$UNSET" ]',
    '[ -z "${UNSET:-}" ]',
)


class _Maker:
    def __init__(self, number: int) -> None:
        self.dice = random.Random(number)
        self.count = 0

    def flag(self) -> str:
        self.count += 1
        return f"--flag-{self.count}"

    def change(self, depth: int) -> list[str]:
        """Lines that change something, under conditions or not."""
        ways = [self._add, self._add, self._set, self._if, self._case, self._and, self._call, self._for, self._unset]
        return self.dice.choice(ways if depth < 3 else ways[:3])(depth)

    def block(self, depth: int, indent: str = "  ") -> list[str]:
        lines = [line for _ in range(self.dice.randint(1, 2)) for line in self.change(depth + 1)]
        return [indent + line for line in lines]

    def _add(self, depth: int) -> list[str]:
        return [f'A+=({self.flag()} "$V")' if self.dice.random() < 0.3 else f"A+=({self.flag()})"]

    def _set(self, depth: int) -> list[str]:
        name, value = self.dice.choice(
            [
                ("V", _quoted(self.dice.choice(_VALUES))),
                ("W", _quoted(self.dice.choice(_VALUES))),
                ("V", '"$W"'),
                ("W", "$V$W"),
                ("N", str(self.dice.randint(0, 9))),
                ("M", "$((N + 1))"),
                ("N", "$((M * 2 % 5))"),
                ("V", "${UNSET:-x}"),
                ("V", '"${W:-d}"'),
                ("W", "${V##*/}"),
            ]
        )
        return [f"{name}={value}"]

    def _if(self, depth: int) -> list[str]:
        lines = [f"if {self.dice.choice(_TESTS)}; then", *self.block(depth)]
        if self.dice.random() < 0.3:
            lines += [f"elif {self.dice.choice(_TESTS)}; then", *self.block(depth)]
        if self.dice.random() < 0.5:
            lines += ["else", *self.block(depth)]
        return [*lines, "fi"]

    def _case(self, depth: int) -> list[str]:
        lines = [f"case {self.dice.choice(['$V', chr(34) + '$V' + chr(34), '$N', '$1', 'x', '$V:$N'])} in"]
        for _ in range(self.dice.randint(1, 3)):
            end = ";;" if self.dice.random() < 0.9 else self.dice.choice([";&", ";;&"])
            lines += [f"  {self.dice.choice(_PATTERNS)})", *self.block(depth, "    "), f"    {end}"]
        return [*lines, "esac"]

    def _and(self, depth: int) -> list[str]:
        first, second = self.dice.choice(_TESTS), self.dice.choice(_TESTS)
        if "; " in first or "; " in second:
            return self._add(depth)
        sign = self.dice.choice(["&&", "||"])
        way = self.dice.randint(0, 2)
        if way == 0:
            return [f"{first} {sign} A+=({self.flag()})"]
        if way == 1:
            return [f"{first} {sign} A+=({self.flag()}) || A+=({self.flag()})"]
        return [f"{first} && {second} {sign} {{ A+=({self.flag()}); V=x; }}"]

    def _call(self, depth: int) -> list[str]:
        return [self.dice.choice(["add x", 'add "$V" "$W"', "add", "add $V", "deep 3", "deep 9", "keep"])]

    def _for(self, depth: int) -> list[str]:
        values = self.dice.choice(["x y", '"$V" "$W"', "$V z", "1 2 3", '"$@"'])
        return [f"for I in {values}; do", '  [ "$I" = x ] && V=$I', *self.block(depth), "done"]

    def _unset(self, depth: int) -> list[str]:
        return [self.dice.choice(["unset V", "unset W N", "shift", "set -- x", 'set -- "$V" "$@"'])]

    def script(self) -> str:
        lines = [
            "#!/bin/bash",
            "shopt -s extglob",
            "unset UNSET",
            "A=(--first)",
            "V=x",
            "W=y",
            "N=1",
            "M=2",
            "set -- x y",
        ]
        lines += ["add() {", "  local V=$1", '  if [ "$V" = x ]; then', f"    A+=({self.flag()})", "  fi"]
        lines += [f'  [ $# -gt 1 ] && A+=({self.flag()} "$2")', "}"]
        lines += [
            "deep() {",
            '  if [ "$1" -gt 0 ]; then',
            f"    A+=({self.flag()})",
            "    deep $(($1 - 1))",
            "  fi",
            "}",
        ]
        lines += ["keep() {", "  case $V in", "    x) return ;;", "  esac", f"  A+=({self.flag()})", "}"]
        lines += ["is_x() {", '  [ "$V" = x ]', "}"]
        for _ in range(self.dice.randint(2, 6)):
            lines += self.change(0)
        lines.append('sglang serve --model-path m "${A[@]}"')
        return "\n".join(lines) + "\n"


def make_logic(number: int) -> str:
    return _Maker(number).script()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
