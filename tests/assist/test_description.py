"""What a flag is."""

from __future__ import annotations

from sglint import catalogue
from sglint.assist import describe_option, option_at
from sglint.assist.description import describe_flag
from sglint.lint import lint
from sglint.rules.findings import Judged
from sglint.settings import Settings
from sglint.text import Document

TEXT = "python -m sglang.launch_server --model-path a --attention-backend fa3 --page-size 4 --frobnicate\n"


def judged(release: str = "0.5.18") -> Judged:
    return lint(Document("a.sh", TEXT, "shell"), Settings(release=release), fixes=False).judged[0]


def described(flag: str, release: str = "0.5.18") -> str:
    text = describe_option(judged(release), TEXT.index(flag) + 3)
    assert text is not None
    return text


def test_a_flag_is_told_with_meaning_default_choices_and_history() -> None:
    text = described("--attention-backend")
    assert text.startswith("**`--attention-backend`** one of a list")
    assert "Attention kernels" in text
    assert "`fa3`" in text
    assert "since 0.4.0" in text


def test_a_changed_default_is_dated() -> None:
    assert "default in 0.5.18: none, since 0.4.9.post4 (before: `1`)" in described("--page-size")


def test_a_flag_that_left_says_when() -> None:
    text = describe_flag(catalogue.load("0.5.19").by_name["--nsa-prefill-backend"], "0.5.19")
    assert "until 0.5.19" in text
    assert "deprecated: use `--dsa-prefill-backend`" in text


def test_elsewhere_there_is_nothing_to_tell() -> None:
    assert describe_option(judged(), TEXT.index("launch_server")) is None
    assert describe_option(judged(), TEXT.index("--frobnicate")) is None
    assert option_at(judged(), TEXT.index("fa3") + 1) is None


def test_every_flag_of_every_release_can_be_described() -> None:
    for release in (catalogue.releases()[0], "0.5.18", catalogue.releases()[-1]):
        for flag in catalogue.load(release).flags:
            assert describe_flag(flag, release).startswith(f"**`{flag.names[0]}`**")
