"""Small invented releases for reading."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent


def write_release(folder: Path, files: Mapping[str, str], release: str = "0.6.1") -> Path:
    """A folder that looks like an unpacked wheel. ``files`` are texts by path below ``sglang/``."""
    for name, text in files.items():
        file = folder / "sglang" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    (folder / f"sglang-{release}.dist-info").mkdir()
    return folder


def write_wheel(folder: Path, files: Mapping[str, str], release: str = "0.6.1") -> Path:
    wheel = folder / f"sglang-{release}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"sglang/{name}", dedent(text))
        archive.writestr(f"sglang-{release}.dist-info/METADATA", f"Version: {release}\n")
    return wheel


CALLS = """
    import argparse
    from sglang.srt.names import BACKENDS, Mode, tools

    class DeprecatedAction(argparse.Action):
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            raise ValueError(self.help)

    class ServerArgs:
        model_path: str
        port: int = 30000
        mode: str = Mode.FAST.value

        @staticmethod
        def add_cli_args(parser):
            group = parser.add_argument_group("Serving")
            group.add_argument("--model-path", "--model", type=str, required=True)
            group.add_argument("--port", type=int, default=ServerArgs.port)
            parser.add_argument("--backend", choices=BACKENDS + ["extra"], default=BACKENDS[0])
            parser.add_argument("--mode", choices=[mode.value for mode in Mode], default=ServerArgs.mode)
            parser.add_argument("--tool", choices=tools())
            parser.add_argument("--lazy", default=tools)
            for size in ("tp", "pp"):
                parser.add_argument(f"--{size}-size", type=int, default=1)
            parser.add_argument("--old", action=DeprecatedAction, help="--old is deprecated. Please use '--mode'.")
            if unknowable():
                parser.add_argument("--never")
            add_more(parser)

    def add_more(target):
        target.add_argument("--verbose", action="store_true")
"""

NAMES = """
    from enum import Enum
    from .more import *

    class Mode(Enum):
        FAST = "fast"
        SLOW = "slow"

    BACKENDS = ["a", *MORE]
    BACKENDS.extend(["c"])

    def tools():
        import sys
        registered = sys.modules.get("x")
        if registered is not None:
            return []
        return list({"t1": 1, "t2": 2}.keys())
"""

FILES = {
    "srt/server_args.py": CALLS,
    "srt/names.py": NAMES,
    "srt/more.py": 'MORE = ("b",)\n',
    "srt/__init__.py": "",
    "__init__.py": "",
}

FIELDS = """
    import argparse
    import dataclasses
    from typing import List, Literal, Optional
    from sglang.srt.arg_groups.arg_utils import A, Arg, add_cli_args_from_dataclass

    @dataclasses.dataclass
    class ServerArgs:
        model_path: A[str, Arg(help="m", aliases=["--model"])]
        tp_size: A[int, Arg(help="t", cli_name="--tensor-parallel-size", aliases=["--tp-size"])] = 1
        ratio: A[Optional[float], "r"] = None
        sizes: A[Optional[List[int]], "s"] = dataclasses.field(default_factory=list)
        kind: A[Literal["x", "y"], "k"] = "x"
        loud: A[bool, "l"] = False
        fast: A[Optional[bool], Arg(help="f", action=argparse.BooleanOptionalAction)] = None
        hidden: A[str, Arg(no_cli=True)] = ""
        plain: str = ""

        @staticmethod
        def add_cli_args(parser):
            add_cli_args_from_dataclass(parser, ServerArgs)
"""

FIELD_FILES = {
    "srt/server_args.py": FIELDS,
    "srt/arg_groups/arg_utils.py": """
        from typing import Annotated
        A = Annotated
        class Arg: ...
        def add_cli_args_from_dataclass(parser, cls): ...
    """,
    "srt/arg_groups/__init__.py": "",
    "srt/__init__.py": "",
    "__init__.py": "",
}
