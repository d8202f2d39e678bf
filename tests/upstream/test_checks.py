"""The inventory of refusals of a release."""

from __future__ import annotations

from pathlib import Path

from sglint.upstream.checks import Check, diff_checks, read_checks

from .release import write_release

HOOK = """
    def check(args, parser):
        assert args.tp > 0, f"tp must be positive, got {args.tp}"
        if args.a:
            raise ValueError("a is not supported")
        if args.b:
            parser.error("b is " + args.b)

    class Pool:
        def init(self):
            assert self.ready
            raise NotImplementedError(f"{self.name} cannot")
            raise
"""
FILES = {
    "srt/server_args.py": "x = 1\n",
    "srt/arg_groups/hook.py": HOOK,
    "srt/other/far.py": "def f():\n    raise ValueError('far')\n",
    "__init__.py": "",
}
FILE = "srt/arg_groups/hook.py"


def test_every_refusal_has_its_place_and_the_beginning_of_its_message(tmp_path: Path) -> None:
    assert read_checks(write_release(tmp_path, FILES)) == (
        Check(FILE, "check", "assert", "AssertionError", "tp must be positive, got "),
        Check(FILE, "check", "raise", "ValueError", "a is not supported"),
        Check(FILE, "check", "error", "SystemExit", "b is "),
        Check(FILE, "Pool.init", "assert", "AssertionError", ""),
        Check(FILE, "Pool.init", "raise", "NotImplementedError", ""),
    )


def test_a_difference_tells_moved_checks_from_new_ones(tmp_path: Path) -> None:
    before = read_checks(write_release(tmp_path / "a", FILES))
    changed = HOOK.replace("def check(", "def validate(").replace("a is not supported", "a is gone")
    after = read_checks(write_release(tmp_path / "b", {**FILES, FILE: changed}))
    found = diff_checks(before, after)
    assert [check.head for check in found.gone] == ["a is not supported"]
    assert [check.head for check in found.new] == ["a is gone"]
    assert [(old.symbol, new.symbol) for old, new in found.moved] == [("check", "validate")] * 2


def test_equal_inventories_do_not_differ(tmp_path: Path) -> None:
    checks = read_checks(write_release(tmp_path, FILES))
    found = diff_checks(checks, checks)
    assert (found.gone, found.new, found.moved) == ((), (), ())
