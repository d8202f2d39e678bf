"""Asks a released SGLang's own argument parser: what flags it has, and what it makes of command lines.

    parser_dump.py dump RELEASE                     one JSON object: the parser's actions in declaration order
    parser_dump.py parse RELEASE < argv.jsonl       one JSON answer a line: the error, or the values that were set

A line of ``argv.jsonl`` is a list of words, or an object of ``argv`` and ``config``: the mapping is then written to
a file whose path replaces the words ``@config.yaml``.

Needs a prepared oracle (``ORACLE_HOME``, see shared/oracle). Only the parser of the release runs: no argument
resolution, no model, no GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import inspect
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ORACLE = Path(__file__).resolve().parents[3] / "shared" / "oracle" / "oracle.py"


def run(mode: str, release: str, lines: Iterable[str] = ()) -> list[Any]:
    """Answers of one release, one JSON value a line of input (one in all for ``dump``)."""
    oracle = _oracle()
    python, env = oracle.release_env(release, {})
    done = subprocess.run(
        [python, __file__, f"_{mode}", release],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return [json.loads(line) for line in done.stdout.splitlines()]


def _oracle() -> Any:
    spec = importlib.util.spec_from_file_location("oracle", ORACLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _real_parser(release: str) -> argparse.ArgumentParser:
    oracle = _oracle()
    oracle.install_stubs(release)
    oracle.install_fake_gpu("h200", 8)
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser(prog="sglang serve")
    ServerArgs.add_cli_args(parser)
    return parser


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, type(None))):
        return value
    if isinstance(value, str):
        return str(value.value) if hasattr(value, "value") else str(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=str)
    if isinstance(value, (list, tuple, type({}.keys()))):
        return [_plain(item) for item in value]
    return repr(value)


def _describe(action: argparse.Action) -> dict[str, Any]:
    return {
        "names": list(action.option_strings),
        "dest": action.dest,
        "action": type(action).__name__,
        "type": getattr(action.type, "__qualname__", None) if action.type else None,
        "nargs": action.nargs,
        "choices": None if action.choices is None else _plain(action.choices),
        "default": _plain(action.default),
        "const": _plain(action.const),
        "required": action.required,
        "new_flag": getattr(action, "new_flag", None),
        "const_value": _plain(getattr(action, "const_value", None)),
    }


def _answer(parser: argparse.ArgumentParser, case: Any) -> dict[str, Any]:
    said = io.StringIO()
    argv = case if isinstance(case, list) else _with_config(case)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            if "--config" in argv:
                argv = _merged(parser, argv)
            values = vars(parser.parse_args(argv))
    except SystemExit as stop:
        if not stop.code:
            return {"exit": 0}
        text = said.getvalue()
        return {"error": text[text.rfind(": error: ") + len(": error: ") :].removesuffix("\n")}
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}
    defaults = {action.dest: action.default for action in parser._actions}
    changed = {dest: _plain(value) for dest, value in values.items() if value is not defaults.get(dest)}
    return {"values": changed}


def _with_config(case: dict[str, Any]) -> list[str]:
    file = Path(tempfile.gettempdir()) / f"sglint-config-{os.getpid()}.yaml"
    file.write_text(json.dumps(case["config"]), encoding="utf-8")
    return [str(file) if word == "@config.yaml" else word for word in case["argv"]]


def _merged(parser: argparse.ArgumentParser, argv: list[str]) -> list[str]:
    try:
        from sglang.srt.utils.server_args_config_parser import ConfigArgumentMerger
    except ImportError:
        from sglang.srt.server_args_config_parser import ConfigArgumentMerger
    merged: list[str] = _merger(ConfigArgumentMerger, parser).merge_config_with_args(argv)
    return merged


def _merger(kind: Any, parser: argparse.ArgumentParser) -> Any:
    """As the release's ``prepare_server_args`` makes it; before 0.5.8 its list of booleans always stays empty."""
    from sglang.srt.server_args import prepare_server_args

    handed_parser = "ConfigArgumentMerger(parser)" in inspect.getsource(prepare_server_args)
    return kind(parser) if handed_parser else kind(boolean_actions=[])


def _inside(mode: str, release: str) -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    parser = _real_parser(release)
    if mode == "_dump":
        print(json.dumps([_describe(action) for action in parser._actions]), file=out)
    else:
        for line in sys.stdin:
            print(json.dumps(_answer(parser, json.loads(line))), file=out)
    out.close()


def main() -> None:
    mode, release = sys.argv[1:3]
    if mode.startswith("_"):
        _inside(mode, release)
    else:
        for answer in run(mode, release, sys.stdin.read().splitlines() if mode == "parse" else ()):
            print(json.dumps(answer))


if __name__ == "__main__":
    main()
