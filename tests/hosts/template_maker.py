"""Random template expressions over known values, for a real Helm to evaluate."""

from __future__ import annotations

import random

VALUES = """\
text: Some-Text_8B
path: org/model-name
empty: ''
zero: 0
count: 8
big: 1048576
half: 0.5
yes: true
no: false
digits: '12'
list: [one, two, three]
numbers: [1, 2, 4]
none: []
map: {b: 2, a: one, c: true}
camel: maxRunningRequests
nested: {deep: {x: y, n: 3}}
"""
TEXTS = ("text", "path", "camel", "digits", "nested.deep.x")
NUMBERS = ("count", "big", "half", "zero", "nested.deep.n")
SCALARS = (*TEXTS, *NUMBERS, "empty", "yes", "no", "missing")
KINDS = ("string", "float64", "bool", "map", "slice", "int", "invalid")
WORDS = ("-", "/", "m", "8B", "org/", "x", "Some")


def expressions(count: int, seed: int) -> list[str]:
    """Distinct expressions; the same ones for the same seed."""
    maker = _Maker(random.Random(seed))
    found: dict[str, None] = {}
    while len(found) < count:
        found[maker.expression()] = None
    return list(found)


class _Maker:
    def __init__(self, source: random.Random) -> None:
        self.random = source

    def expression(self) -> str:
        kind = self.random.choice(("text", "number", "truth", "list", "map", "any"))
        made = str(getattr(self, kind)(2))
        if kind == "list":
            made = self.random.choice((f'{made} | join ","', f"first ({made})", f"len ({made})", f"{made} | toJson"))
        if kind == "map":
            made = self.random.choice((f"{made} | toJson", f"len ({made})", f'get ({made}) "a"', f"({made}).a"))
        return made

    def any(self, depth: int) -> str:
        name = f".Values.{self.random.choice(SCALARS)}"
        return self.random.choice(
            (
                name,
                f"{name} | quote",
                f"{name} | squote",
                f"{name} | toString",
                f"{name} | default {self.literal()}",
                f"default {self.literal()} {name}",
                f"coalesce .Values.empty {name} {self.literal()}",
                f"or {name} {self.literal()}",
                f"and {name} {self.literal()}",
                f"{name} | kindOf",
                f"{name} | typeOf",
                f"{name} | toJson",
                f"{name} | toYaml",
                f'printf "%v/%v" {name} {self.literal()}',
                f'printf "a=%s" {name}',
                f'printf "a=%d" {name}',
                f"ternary {name} {self.literal()} ({self.truth(1)})",
                f"print {name} {self.literal()} {name}",
            )
        )

    def literal(self) -> str:
        return self.random.choice(('"w"', '"8"', "8", "true", "false", '""', "0", "1.5"))

    def text(self, depth: int) -> str:
        value = f".Values.{self.random.choice(TEXTS)}"
        for _ in range(self.random.randint(1, 3)):
            word, other = self.random.choice(WORDS), self.random.choice(WORDS)
            number = self.random.randint(-3, 12)
            value += " | " + self.random.choice(
                (
                    "lower",
                    "upper",
                    "trim",
                    "kebabcase",
                    "nospace",
                    f'replace "{word}" "{other}"',
                    f"trunc {number}",
                    f'trimSuffix "{word}"',
                    f'trimPrefix "{word}"',
                    f'trimAll "{word}"',
                    f"substr {max(number, 0)} {self.random.randint(-1, 9)}",
                    "repeat 2",
                    "quote",
                    "indent 2",
                    f'printf "%s-%s" "{word}"',
                    f'regexReplaceAll "[^a-z]+" . "{other}"'.replace(" . ", " .Values.text "),
                    f'splitList "{word}" | last',
                )
            )
        return value

    def number(self, depth: int) -> str:
        one, other = (f".Values.{self.random.choice((*NUMBERS, *NUMBERS, 'digits', 'text'))}" for _ in range(2))
        whole = self.random.randint(1, 9)
        return self.random.choice(
            (
                f"{one} | int",
                f"{one} | int64 | quote",
                f"{one} | float64",
                f"add {one} {other}",
                f"add1 {one}",
                f"sub {one} {whole}",
                f"mul {one} {whole} 2",
                f"div {one} {whole}",
                f"mod {one} {whole}",
                f"max {one} {other} {whole}",
                f"min {one} {other}",
                f"floor {one}",
                f"ceil {one}",
                f"mul {one} {other} | int | toString | quote",
                f'printf "%d" (int {one})',
                f'printf "%.2f" {one}',
                f'printf "%g" {one}',
            )
        )

    def truth(self, depth: int) -> str:
        name, other = (f".Values.{self.random.choice(SCALARS)}" for _ in range(2))
        number = f".Values.{self.random.choice(NUMBERS)}"
        if depth > 0 and self.random.random() < 0.3:
            inner = [self.truth(depth - 1) for _ in range(2)]
            return self.random.choice(
                (f"and ({inner[0]}) ({inner[1]})", f"or ({inner[0]}) ({inner[1]})", f"not ({inner[0]})")
            )
        return self.random.choice(
            (
                f"eq {name} {self.literal()}",
                f"ne {name} {self.literal()}",
                f'eq (toString {name}) "{self.random.choice(("8", "true", "", "12"))}"',
                f"gt (int {number}) {self.random.randint(0, 9)}",
                f"le (int {number}) {self.random.randint(0, 9)}",
                f"gt {number} {self.random.randint(0, 9)}.5",
                f"empty {name}",
                f"not {name}",
                f"and {name} {other}",
                f"or {name} {other}",
                f'hasKey .Values "{name[8:]}"',
                f'contains "{self.random.choice(WORDS)}" .Values.text',
                f'hasPrefix "{self.random.choice(WORDS)}" .Values.path',
                f'hasSuffix "{self.random.choice(WORDS)}" .Values.path',
                f'kindIs "{self.random.choice(KINDS)}" {name}',
                f'has "{self.random.choice(("one", "four"))}" .Values.list',
                f"has {self.random.choice(('4', '4.0', '8'))} .Values.numbers",
                'regexMatch "^[a-z/]+" .Values.path',
                f"any {name} {other}",
                f"all {name} {other}",
                f'typeIs "{self.random.choice(("string", "bool", "float64"))}" {name}',
            )
        )

    def list(self, depth: int) -> str:
        base = self.random.choice((".Values.list", ".Values.numbers", ".Values.none", 'list "x" .Values.count "y"'))
        base = f"({base})" if " " in base else base
        return self.random.choice(
            (
                base,
                f'append {base} "z"',
                f'prepend {base} "z"',
                f"concat {base} .Values.list",
                f"rest {base}",
                f"initial {base}",
                f"reverse {base}",
                f"uniq (concat {base} {base})",
                f"sortAlpha {base}",
                f'without {base} "one"',
                f"compact {base}",
                'splitList "-" .Values.text',
                f"until {self.random.randint(0, 4)}",
                "until (int .Values.nested.deep.n)",
                f"untilStep 0 {self.random.randint(1, 9)} 2",
                "keys .Values.map | sortAlpha",
            )
        )

    def map(self, depth: int) -> str:
        return self.random.choice(
            (
                "(.Values.map)",
                '(dict "a" .Values.count "b" "x")',
                '(omit .Values.map "b")',
                '(pick .Values.map "a" "c")',
                '(merge (dict "a" "new") .Values.map)',
                '(mergeOverwrite (deepCopy .Values.map) (dict "a" "new"))',
                '(set (deepCopy .Values.map) "d" 1)',
                '(index .Values "nested" "deep")',
                ".Values.nested.deep",
            )
        )
