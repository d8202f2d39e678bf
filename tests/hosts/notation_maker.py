"""One command in every notation, each written by somebody else's encoder: PyYAML, json, shlex, repr.

Each maker takes the words behind the launcher and gives a path, the language, and the text of a file that hands the
server exactly these words.
"""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import yaml

Words = Sequence[str]
Dice = random.Random
Made = tuple[str, str, str]
LAUNCHER = ("python3", "-m", "sglang.launch_server")
IMAGE = "lmsysorg/sglang:v0.5.18"
_PIECES = ["wren", "7b", "/m", " ", "'", '"', "\\", "#", ": ", " #", "{", "}", "[", ",", "*", "&", "!", "%", "@", "`"]
_PIECES += ["|", ">", "<", ";", "(", ")", "$", "$x", "~", "^", "?", "=", "-", ".", "é", "🐦", "\u00a0", "\\n", "\t"]
_PIECES += ["true", "null", "1e3", "0x1F", "%d", "%%", "{ {", "\\\\", "''", "--", "$(x)", "${x}", "$$", "\n"]
_FLAGS = ("--model-path", "--served-model-name", "--json-model-override-args", "--chat-template", "--tp-size")
_BARE = ("--trust-remote-code", "--enable-metrics")


def words_made(dice: Dice) -> list[str]:
    """Options with values that are hard to write; a value may be empty and may have line ends.

    Two braces are the start of a template wherever they stand, so there are none.
    """
    words: list[str] = []
    for _ in range(dice.randint(1, 4)):
        if dice.random() < 0.2:
            words.append(dice.choice(_BARE))
            continue
        value = "".join(dice.choices(_PIECES, k=dice.choice((0, 1, 1, 2, 3, 6)))).replace("{{", "{")
        if dice.random() < 0.15:
            value = json.dumps({"rope_scaling": {"factor": 2.0, value: [value, None, True]}})
        flag = dice.choice(_FLAGS)
        words += [f"{flag}={value}"] if dice.random() < 0.4 else [flag, value]
    return words


def _style(dumper: yaml.Dumper, value: _Styled) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style=value.style)


class _Styled(str):
    style: str | None = None


class _Dumper(yaml.Dumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Styled, _style)


def dumped(dice: Dice, value: Any) -> str:
    """YAML by PyYAML, each text in a style drawn for it, indented and folded in any way it knows."""

    def styled(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: styled(inner) for key, inner in one.items()}
        if isinstance(one, list):
            return [styled(inner) for inner in one]
        text = _Styled(one)
        text.style = dice.choice((None, None, "'", '"', "|", ">"))
        return text

    while True:
        text: str = yaml.dump(
            styled(value),
            Dumper=_Dumper,
            allow_unicode=dice.random() < 0.8,
            width=dice.choice((20, 80, 10**6)),
            indent=dice.choice((2, 4)),
            sort_keys=False,
            default_flow_style=dice.choice((False, False, False, None, True)),
        )
        # Some texts cannot be folded, and PyYAML folds them all the same.
        if yaml.safe_load(text) == value:
            return text


def kubelet(text: str) -> str:
    """The text as it has to be written where the kubelet expands ``$(VAR)`` and makes one ``$`` of two."""
    return text.replace("$", "$$")


def shell_line(dice: Dice, words: Words) -> str:
    quoted = [_quoted(dice, word) for word in (*LAUNCHER, *words)]
    return "".join(word + dice.choice((" ", " ", "  ", " \\\n", " \\\n    ")) for word in quoted[:-1]) + quoted[-1]


def _quoted(dice: Dice, word: str) -> str:
    plain = shlex.quote(word)
    if plain == word and word:
        return dice.choice((word, word, f"'{word}'", f'"{word}"'))
    doubled = '"' + re.sub(r'([\\"$`])', r"\\\1", word) + '"'
    return dice.choice((plain, doubled, "$'" + "".join(_ansi(char) for char in word) + "'"))


def _ansi(char: str) -> str:
    if char == "\n":
        return "\\n"
    return "\\" + char if char in "\\'" else char


def kubernetes(dice: Dice, words: Words) -> Made:
    kind = dice.choice(("Deployment", "StatefulSet", "DaemonSet", "Job", "Pod", "CronJob"))
    argv = [kubelet(word) for word in (*LAUNCHER, *words)]
    split = dice.choice((3, len(argv)))
    container: dict[str, Any] = {"name": "main", "image": IMAGE, "command": argv[:split]}
    if argv[split:]:
        container["args"] = argv[split:]
    return "pod.yaml", "yaml", dumped(dice, _manifest(kind, container))


def _manifest(kind: str, container: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = {"spec": {"containers": [container]}}
    if kind == "CronJob":
        pod = {"spec": {"jobTemplate": {"spec": {"template": pod}}}}
    elif kind != "Pod":
        pod = {"spec": {"template": pod}}
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "wren"}, **pod}


def kubernetes_shell(dice: Dice, words: Words) -> Made:
    line = kubelet(dice.choice(("", "exec ", "set -e\n")) + shell_line(dice, words))
    container = {"name": "main", "image": IMAGE, "command": ["/bin/bash", dice.choice(("-c", "-lc"))], "args": [line]}
    return "pod.yaml", "yaml", dumped(dice, _manifest(dice.choice(("Deployment", "Pod")), container))


def kubernetes_json(dice: Dice, words: Words) -> Made:
    argv = [kubelet(word) for word in (*LAUNCHER, *words)]
    manifest = _manifest("Deployment", {"name": "main", "image": IMAGE, "command": argv})
    items = {"apiVersion": "v1", "kind": "List", "items": [manifest]}
    return "pod.yaml", "yaml", json.dumps(items, indent=dice.choice((None, 2, 4)), ensure_ascii=False)


def config_map(dice: Dice, words: Words) -> Made:
    script = "#!/bin/bash\n" + shell_line(dice, words) + "\n"
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "wren"}, "data": {"start.sh": script}}
    return "map.yaml", "yaml", dumped(dice, data)


def compose(dice: Dice, words: Words) -> Made:
    if dice.random() < 0.5:
        command: Any = [word.replace("$", "$$") for word in (*LAUNCHER, *words)]
    else:
        command = shlex.join((*LAUNCHER, *words)).replace("$", "$$")
    return "compose.yaml", "yaml", dumped(dice, {"services": {"wren": {"image": IMAGE, "command": command}}})


def workflow(dice: Dice, words: Words) -> Made:
    step = {"name": "serve", "run": shell_line(dice, words)}
    job = {"runs-on": "gpu", "steps": [step]}
    return ".github/workflows/a.yml", "yaml", dumped(dice, {"on": "push", "jobs": {"serve": job}})


def skypilot(dice: Dice, words: Words) -> Made:
    task = {"resources": {"accelerators": "H200:8"}, "run": shell_line(dice, words) + "\n"}
    return "task.yaml", "yaml", dumped(dice, task)


def ansible(dice: Dice, words: Words) -> Made:
    task = {"name": "serve", "ansible.builtin.command": {"argv": [*LAUNCHER, *words]}}
    return "play.yaml", "yaml", dumped(dice, [{"hosts": "gpu", "tasks": [task]}])


def script(dice: Dice, words: Words) -> Made:
    line = shell_line(dice, words)
    way = dice.randint(0, 8)
    if way == 0:
        text = f'ARGS=({" ".join(_quoted(dice, word) for word in words)})\n{" ".join(LAUNCHER)} "${{ARGS[@]}}"\n'
    elif way == 1:
        text = f"bash -c {shlex.quote(line)}\n"
    elif way == 2:
        text = f"ssh node1 {shlex.quote('bash -lc ' + shlex.quote(line))}\n"
    elif way == 3:
        text = f"bash -s <<'END'\n{line}\nEND\n"
    elif way == 4:
        text = f'serve() {{\n  {" ".join(LAUNCHER)} "$@"\n}}\nserve {" ".join(_quoted(dice, one) for one in words)}\n'
    elif way == 5:
        text = f"docker run --rm --gpus all {IMAGE} {line}\n"
    elif way == 6:
        text = f'CMD={shlex.quote(line)}\neval "$CMD"\n'
    elif way == 7:
        text = f'set -- {" ".join(_quoted(dice, one) for one in words)}\nexec {" ".join(LAUNCHER)} "$@"\n'
    else:
        text = f"nohup {line} > log 2>&1 &\n"
    return "run.sh", "shell", "#!/bin/bash\n" + text


def dockerfile(dice: Dice, words: Words) -> Made:
    argv = [*LAUNCHER, *words]
    if dice.random() < 0.5:
        split = dice.choice((3, len(argv)))
        lines = [f"ENTRYPOINT {_json(argv[:split])}"] + ([f"CMD {_json(argv[split:])}"] if argv[split:] else [])
    else:
        lines = [f"CMD {shlex.join(argv)}"]
    return "Dockerfile", "dockerfile", "\n".join([f"FROM {IMAGE}", *lines, ""])


def _json(argv: Words) -> str:
    return json.dumps(argv, ensure_ascii=False)


def unit(dice: Dice, words: Words) -> Made:
    return _unit(dice, ["/usr/bin/python3", *LAUNCHER[1:]], words)


def unit_shell(dice: Dice, words: Words) -> Made:
    return _unit(dice, ["/bin/bash", "-lc"], [shell_line(dice, words)])


def _unit(dice: Dice, program: Words, words: Words) -> Made:
    def quoted(word: str) -> str:
        word = (
            word.replace("%", "%%").replace("$", "$$").replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        )
        return dice.choice(('"' + word.replace('"', '\\"') + '"', "'" + word.replace("'", "\\'") + "'"))

    line = dice.choice((" ", " \\\n  ")).join([*program, *map(quoted, words)])
    return "wren.service", "systemd", f"[Service]\nExecStart={line}\nRestart=always\n"


def makefile(dice: Dice, words: Words) -> Made:
    line = shlex.join((*LAUNCHER, *words)).replace("$", "$$")
    return "Makefile", "makefile", f"serve:\n\t{dice.choice(('', '@', '-'))}{line}\n"


def justfile(dice: Dice, words: Words) -> Made:
    return "justfile", "justfile", f"serve:\n    {shlex.join((*LAUNCHER, *words)).replace('{{', '{{{{')}\n"


def program(dice: Dice, words: Words) -> Made:
    argv = [*LAUNCHER, *words]
    text = dice.choice(
        (
            f"subprocess.run({argv!r})\n",
            f"cmd = {argv[:3]!r}\ncmd += {argv[3:]!r}\nsubprocess.Popen(cmd)\n",
            f"subprocess.run({shlex.join(argv)!r}, shell=True)\n",
            f"import shlex\nsubprocess.run(shlex.split({shlex.join(argv)!r}))\n",
            f"os.system({shlex.join(argv)!r})\n",
        )
    )
    return "serve.py", "python", "import os\nimport subprocess\n\n" + text


MAKERS: dict[str, Callable[[Dice, Words], Made]] = {
    maker.__name__: maker
    for maker in (
        kubernetes,
        kubernetes_shell,
        kubernetes_json,
        config_map,
        compose,
        workflow,
        skypilot,
        ansible,
        script,
        dockerfile,
        unit,
        unit_shell,
        makefile,
        justfile,
        program,
    )
}
ONE_LINE = {"dockerfile", "makefile", "justfile"}
"""Notations in which a word cannot hold a line end."""
WITHOUT = {"ansible": "$"}
"""What the tool that reads a notation expands, with no way to write it as text."""


def made(name: str, number: int) -> tuple[list[str], Made]:
    """The words of this number and how the notation writes them."""
    dice = random.Random(f"{name} {number}")
    words = [_writable(name, word) for word in words_made(dice)]
    return words, MAKERS[name](dice, words)


def value_made(name: str, dice: Dice) -> str:
    """A value to be written into a file of a notation; a dollar may be meant for what reads the file."""
    return _writable(name, "".join(dice.choices(_PIECES, k=3)).replace("{{", "{").replace("$", "x"))


def _writable(name: str, word: str) -> str:
    return word.replace("\n", " " if name in ONE_LINE else "\n").replace(WITHOUT.get(name, "\0"), "x")
