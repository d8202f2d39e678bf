"""Static evaluation: what can be told is right, what cannot is opaque."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sglint.upstream.source import ReleaseSource
from sglint.upstream.static import Evaluator
from sglint.upstream.values import Opaque, is_known, plain

from .release import write_release


def evaluated(tmp_path: Path, text: str, name: str = "X") -> Any:
    files = {
        "srt/server_args.py": text,
        "srt/other.py": "A = 1\nB = [A, 2]\n",
        "__init__.py": "",
        "srt/__init__.py": "",
    }
    source = ReleaseSource(write_release(tmp_path, files))
    return Evaluator(source).module("sglang.srt.server_args").lookup(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("X = 10 * 1000 + 2 ** 3", 10008),
        ("X = -1", -1),
        ('X = ["a"] + ["b"]', ["a", "b"]),
        ('Y = ["a"]\nX = [*Y, "b"]', ["a", "b"]),
        ('X = ["a"]\nX += ["b"]', ["a", "b"]),
        ('X = ["a"]\nX.append("b")', ["a", "b"]),
        ('X = {"a": 1, **{"b": 2}}', {"a": 1, "b": 2}),
        ('X = f"{1 + 1}x"', "2x"),
        ('X = "A".lower()', "a"),
        ("from .other import B\nX = B[1]", 2),
        ("from sglang.srt import other\nX = other.A", 1),
        ("X = [n * 2 for n in (1, 2, 3) if n > 1]", [4, 6]),
        ("X = 1 if True else 2", 1),
        ("X = True and 3", 3),
        ("def f(a, b=2):\n    c = a + b\n    return c\nX = f(1)", 3),
        ("X = (lambda n: n + 1)(1)", 2),
        ("class C:\n    A = 1\n    ALL = (A, 2)\nX = C.ALL", [1, 2]),
        ("class B:\n    A = 1\nclass C(B): ...\nX = C.A", 1),
        ("import enum\nclass E(enum.IntEnum):\n    A = 1\n    B = 2\nX = [m.name.lower() for m in E]", ["a", "b"]),
        ("try:\n    import nothing\nexcept ImportError:\n    nothing = None\nX = 4", 4),
        ("X = sorted({3, 1})", [1, 3]),
    ],
)
def test_values_that_can_be_told(tmp_path: Path, text: str, value: Any) -> None:
    assert plain(evaluated(tmp_path, text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "X = undefined",
        "X = undefined()",
        "import os\nX = os.environ.get('A')",
        "X = X",
        "X = 1 + undefined",
        "X = [1][5]",
        "X = 1 / 0",
        "X = undefined < 3",
        "import torch\nX = [torch.cuda.device_count()]",
    ],
)
def test_values_that_cannot(tmp_path: Path, text: str) -> None:
    assert not is_known(evaluated(tmp_path, text))


def test_an_opaque_value_says_what_computes_it(tmp_path: Path) -> None:
    assert evaluated(tmp_path, "X = undefined(3)") == Opaque("undefined(3)")
