"""``# sglint:`` comments: what they say, for which launch, and what is wrong with them."""

from __future__ import annotations

import pytest

from sglint.hosts.directives import read_directives
from sglint.text import Document


def read(text: str):
    return read_directives(Document("a.sh", text, "shell"))


def test_settings_have_exact_places() -> None:
    text = "# sglint: release=v0.5.18 gpu=H200x8 model=a/b draft=c/d\nsglang serve\n"
    said = read(text).at(1)
    values = {}
    for name in ("release", "gpu", "gpu_count", "model", "draft"):
        found = getattr(said, name)
        start, end = found.place.span
        values[name] = (found.value, text[start:end])
    assert values == {
        "release": ("0.5.18", "v0.5.18"),
        "gpu": ("h200", "H200"),
        "gpu_count": (8, "8"),
        "model": ("a/b", "a/b"),
        "draft": ("c/d", "c/d"),
    }


@pytest.mark.parametrize(
    ("text", "line", "holds"),
    [
        ("x\n# sglint: ignore[SGL101]\nlaunch", 2, True),
        ("x\nlaunch # sglint: ignore[SGL101]", 1, True),
        ("# sglint: ignore[SGL101]\n# sglint: gpu=h100\nlaunch", 2, True),
        ("# sglint: ignore[SGL101]\n\nlaunch", 2, False),
        ("other # sglint: ignore[SGL101]\nlaunch", 1, False),
        ("launch\n# sglint: ignore[SGL101]", 0, False),
    ],
)
def test_a_directive_holds_on_its_line_and_below(text: str, line: int, holds: bool) -> None:
    assert bool(read(text).at(line).ignores) is holds


def test_the_beginning_of_a_launch_may_take_several_lines() -> None:
    assert read("docker run \\\n x # sglint: ignore[SGL101]\n").at(0, 1).ignores


def test_whole_file_directives_fill_what_a_launch_leaves_open() -> None:
    found = read("# sglint: file release=0.5.18 gpu=h100 ignore[SGL1]\n# sglint: gpu=h200\nlaunch\n")
    said = found.at(2)
    assert said.release is not None and said.gpu is not None
    assert (said.release.value, said.gpu.value) == ("0.5.18", "h200")
    assert said.ignores == ()
    assert [ignore.codes for ignore in found.ignores] == [("SGL1",)]


def test_ignores_have_codes_and_a_reason() -> None:
    (ignore,) = read("# sglint: ignore[SGL101, SGL102] known since spring\n").at(1).ignores
    assert (ignore.codes, ignore.reason) == (("SGL101", "SGL102"), "known since spring")
    (every,) = read("# sglint: ignore\n").at(1).ignores
    assert every.codes == ()


@pytest.mark.parametrize(
    "text", ["# sglint: relase=0.5.18", "# sglint: release=", "# sglint: ignore[]", "# sglint: gpu"]
)
def test_mistakes_are_told_at_their_place(text: str) -> None:
    (problem,) = read(text).problems
    assert problem.code == "SGL005"
    assert text[problem.span.start : problem.span.end] == text.split()[-1]


def test_other_comments_are_left_alone() -> None:
    assert read("# sglint is nice\necho '#sglint'\nx#sglint: ignore\n").directives == ()


@pytest.mark.parametrize(
    ("written", "gpu", "count"),
    [
        ("rtx5090", ("rtx5090", "rtx5090"), None),
        ("rtx5090x2", ("rtx5090", "rtx5090"), (2, "2")),
        ("8xH200", ("h200", "H200"), (8, "8")),
        ("h9000", ("h9000", "h9000"), None),
    ],
)
def test_kind_and_number_of_gpus(written: str, gpu: tuple[str, str], count: tuple[int, str] | None) -> None:
    text = f"# sglint: gpu={written}\nlaunch\n"
    said = read(text).at(1)
    found = [
        (one.value, text[one.place.span.start : one.place.span.end])
        for one in (said.gpu, said.gpu_count)
        if one is not None and one.place is not None
    ]
    assert found == [gpu, *([count] if count else [])]
