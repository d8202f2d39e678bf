"""Release numbers, their order and ranges."""

from __future__ import annotations

import pytest

from sglint import catalogue
from sglint.catalogue import ReleaseRange, release_key


def test_candidates_come_before_and_posts_after_their_release() -> None:
    order = ["0.5.3rc2", "0.5.3", "0.5.3.post1", "0.5.4", "0.5.10"]
    assert sorted(order, key=release_key) == order


def test_a_range_holds_between_its_bounds() -> None:
    found = ReleaseRange.parse(">=0.5.18,<0.5.20")
    assert [found.holds(release) for release in ("0.5.17", "0.5.18", "0.5.19", "0.5.20")] == [False, True, True, False]


@pytest.mark.parametrize("text", ["latest", "0.5", "0.5.x", ""])
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an SGLang release"):
        release_key(text)


def test_a_missing_release_is_read_like_the_nearest_older_one() -> None:
    assert catalogue.nearest("v0.5.18") == "0.5.18"
    assert catalogue.nearest("0.5.15.post9") == "0.5.15.post1"
    assert catalogue.nearest("0.5.18rc1") == "0.5.17"


def test_beyond_both_ends_the_ends_answer() -> None:
    known = catalogue.releases()
    assert catalogue.nearest("99.0.0") == catalogue.nearest("nightly") == known[-1]
    assert catalogue.nearest("0.1.0") == known[0]


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (">=0.5.18,<0.5.19", [">=0.5.18,<0.5.19", ">=0.5.19,<0.5.20"], ">=0.5.18,<0.5.20"),
        (">=0.5.19,<0.5.20", [">=0.5.21", ">=0.5.18,<0.5.19"], ">=0.5.18,<0.5.20"),
        (">=0.5.15,<0.5.16", [">=0.5.19", ">=0.5.17,<0.5.19", ">=0.5.16,<0.5.18"], ">=0.5.15"),
        ("<0.5.16", [">=0.5.15.post1,<0.5.18rc1"], "<0.5.18rc1"),
        ("", [">=0.5.18,<0.5.19"], ""),
        ("!=0.5.18", [">=0.5.15"], "!=0.5.18"),
    ],
)
def test_ranges_that_follow_each_other_are_one(own: str, others: list[str], expected: str) -> None:
    joined = ReleaseRange.parse(own).joined(map(ReleaseRange.parse, others))
    assert joined.text == expected
