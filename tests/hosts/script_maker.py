"""Made-up start scripts over the shell grammar we claim to read, the same for the same number."""

from __future__ import annotations

import random
from collections.abc import Callable

_FLAGS = {
    "--model-path": ("/m/wren", "org/wren-7b", "/m/wr en", "/m/$x", "a'b"),
    "--tp-size": ("1", "2", "8"),
    "--port": ("30000", "30001"),
    "--mem-fraction-static": ("0.8", "0.9"),
    "--served-model-name": ("wren", "wren small", 'the "wren"', "naïve"),
    "--json-model-override-args": ('{"a": 1}', "{}"),
    "--attention-backend": ("triton", "fa3"),
}
_BARE = ("--trust-remote-code", "--enable-metrics", "--disable-radix-cache")


class Maker:
    """Writes one script. ``lines`` before the launch set up what the launch uses."""

    def __init__(self, number: int) -> None:
        self.dice = random.Random(number)
        self.lines: list[str] = ["#!/bin/bash"]
        self.count = 0

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def option(self) -> tuple[str, str | None]:
        if self.dice.random() < 0.3:
            return self.dice.choice(_BARE), None
        flag = self.dice.choice(list(_FLAGS))
        return flag, self.dice.choice(_FLAGS[flag])

    def quoted(self, value: str) -> str:
        ways: list[Callable[[str], str]] = [_single, _double, _escaped, _ansi]
        if all(char.isalnum() or char in "/._-" for char in value):
            ways += [str, str, str, lambda text: f'{text[:1]}"{text[1:]}"']
        return self.dice.choice(ways)(value)

    def written(self) -> str:
        flag, value = self.option()
        if value is None:
            return flag
        if self.dice.random() < 0.15:
            return f"{flag} {self.dice.choice(['$(printf x)', '$((1 + 2))', '`printf y`', '$NOT_SET_HERE'])}"
        return f"{flag}{self.dice.choice([' ', ' ', '='])}{self.quoted(value)}"

    def simple(self) -> str:
        """An option that splits at blanks without quotes."""
        flag = self.dice.choice(["--tp-size", "--port", "--attention-backend"])
        return f"{flag} {self.dice.choice(_FLAGS[flag])}"

    def condition(self) -> str:
        return self.dice.choice(['[ -n "$FAST" ]', "[[ $# -gt 1 ]]", "true", "false", '[ "$1" = x ]'])

    def array(self) -> str:
        name = self.name("ARGS")
        self.lines.append(f"{name}=({' '.join(self.written() for _ in range(self.dice.randint(0, 3)))})")
        for _ in range(self.dice.randint(0, 3)):
            self.under_condition(f"{name}+=({self.written()})")
        return f'"${{{name}[@]}}"'

    def string(self) -> str:
        name = self.name("OPTS")
        self.lines.append(f'{name}="{self.simple()}"')
        for _ in range(self.dice.randint(0, 2)):
            self.under_condition(self.dice.choice([f'{name}="${name} {self.simple()}"', f'{name}+=" {self.simple()}"']))
        return f"${name}"

    def value(self) -> str:
        name = self.name("V")
        value = self.dice.choice(_FLAGS["--served-model-name"])
        self.lines.append(f"{name}={self.quoted(value)}")
        if self.dice.random() < 0.3:
            self.under_condition(f"{name}={self.quoted('other')}")
        flag = "--served-model-name"
        return self.dice.choice([f'{flag} "${name}"', f'{flag}="${{{name}}}"', f'{flag} "${{{name}:-x}}/y"'])

    def default(self) -> str:
        return self.dice.choice(
            [
                "--tp-size ${TP:-2}",
                '--port "${PORT:-30000}"',
                "${EXTRA:---page-size 16}",
                "${LORA:+--lora-paths $LORA}",
                "--dtype ${DTYPE:-${OTHER:-auto}}",
                '"$@"',
                "$EXTRA_FLAGS",
            ]
        )

    def positional(self) -> str:
        self.lines.append(f"set -- {self.written()} {self.written()}")
        self.under_condition(f'set -- "$@" {self.written()}')
        return '"$@"'

    def under_condition(self, line: str) -> None:
        way = self.dice.randint(0, 5)
        if way == 0:
            self.lines.append(f"{self.condition()} && {line}")
        elif way == 1:
            self.lines += [f"if {self.condition()}; then", f"  {line}", "fi"]
        elif way == 2:
            self.lines += ['case "$1" in', f"  x) {line} ;;", "  *) : ;;", "esac"]
        elif way == 3:
            self.lines += ["for i in 1 2; do", f"  {line}", "done"]
        else:
            self.lines.append(line)

    def launch(self) -> str:
        makers = [self.written, self.written, self.array, self.string, self.value, self.default, self.positional]
        words = [self.dice.choice(makers)() for _ in range(self.dice.randint(1, 5))]
        launcher = self.dice.choice(
            ["python3 -m sglang.launch_server", "sglang serve", "exec python -m sglang.launch_server"]
        )
        prefix = self.dice.choice(["", "", "", "nohup ", "env A=1 ", "nice -n 5 ", "A=1 B='x y' "])
        if launcher.startswith("exec"):
            prefix = ""
        command = (
            prefix + launcher + self.dice.choice([" ", " \\\n  "]) + self.dice.choice([" ", " \\\n  "]).join(words)
        )
        return command + self.dice.choice(["", "", " > /dev/null", " 2>&1 | cat", " # --tp-size 9"])

    def script(self) -> str:
        command = self.launch()
        way = self.dice.randint(0, 6)
        if way == 0:
            self.lines += ["start() {", f"  {command}", "}", 'start "$@"']
        elif way == 1:
            self.lines += [f"if {self.condition()}; then", "  echo yes", "fi", command]
        elif way == 2 and "'" not in command and "$" not in command:
            self.lines.append(f"bash -c '{command}'")
        elif way == 3 and "\\" not in command and '"' not in command and "`" not in command and "#" not in command:
            self.lines.append(f'bash -c "{command}"')
        elif way == 4 and "EOF" not in command:
            self.lines += ["bash -s <<'EOF'", command, "EOF"]
        else:
            self.lines.append(command)
        return "\n".join(self.lines) + "\n"


def make_script(number: int) -> str:
    return Maker(number).script()


def _single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _double(text: str) -> str:
    for char in '\\"$`':
        text = text.replace(char, "\\" + char)
    return f'"{text}"'


def _escaped(text: str) -> str:
    return "".join(char if char.isalnum() or char in "/._-" else "\\" + char for char in text)


def _ansi(text: str) -> str:
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
