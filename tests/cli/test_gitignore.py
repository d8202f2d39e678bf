"""Files that git ignores are passed over: git itself is the judge."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.cli.discovery import Candidate, candidates

from .conftest import Cli
from .launches import DEPLOYMENT

TREE = (
    "a.yaml",
    "b.yaml",
    "ab.yaml",
    "a/a.yaml",
    "a/b/a.yaml",
    "a/b/ab.yaml",
    "b/a.yaml",
    "b/a/b/c.yaml",
    "c d/a.yaml",
    "#a/!a.yaml",
)
PIECES = (
    "a",
    "b",
    "*",
    "**",
    "?",
    "/",
    "[ab]",
    "[!a]",
    "[a-b]",
    "!",
    "\\",
    "#",
    " ",
    ".yaml",
    "c",
    "[",
    "]",
    "**/",
    "/**",
)
PATTERNS = st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), max_size=4).map("\n".join)


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in TREE:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x: 1\n", encoding="utf-8")
        self.git("init", "-q")

    def git(self, *words: str) -> str:
        nobody = {
            **os.environ,
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(["git", *words], cwd=self.folder, env=nobody, capture_output=True, text=True, check=True)
        return done.stdout

    def ignore(self, files: dict[str, str]) -> None:
        for old in self.folder.rglob(".gitignore"):
            old.unlink()
        for name, text in files.items():
            (self.folder / name / ".gitignore").write_text(text, encoding="utf-8")

    def by_git(self) -> list[str]:
        listed = self.git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
        return sorted(name for name in listed if name.endswith(".yaml"))

    def by_us(self) -> list[str]:
        found = [item for item in candidates([str(self.folder)]) if isinstance(item, Candidate)]
        return sorted(Path(item.path).relative_to(self.folder).as_posix() for item in found)


@pytest.fixture(scope="module")
def repository() -> Iterator[Repository]:
    with tempfile.TemporaryDirectory() as name:
        yield Repository(Path(name).resolve())


@settings(derandomize=True, deadline=None, max_examples=150)
@given(top=PATTERNS, inner=PATTERNS)
def test_what_is_left_is_what_git_lists(repository: Repository, top: str, inner: str) -> None:
    repository.ignore({"": top, "a": inner})
    assert repository.by_us() == repository.by_git()


@pytest.mark.parametrize(
    "text",
    [
        "*.yaml\n!a.yaml\n",
        "/a.yaml",
        "a/",
        "a/*\n!a/b\n",
        "**/b/**",
        "a/**/ab.yaml",
        "b/**/b\n",
        "c\\ d",
        "c d  ",
        "a.yaml\\ ",
        "\\#a/\\!a.yaml",
        "[[:alpha:]].yaml",
        "[!b]*.yaml",
        "# nothing\n\n   \n",
        "a.yaml\r\n",
        "[",
        "\\",
    ],
)
def test_what_the_manual_says(repository: Repository, text: str) -> None:
    repository.ignore({"": text})
    assert repository.by_us() == repository.by_git()


def test_a_folder_that_is_asked_for_knows_the_patterns_above_it(cli: Cli) -> None:
    cli.write(".gitignore", "/k8s/old/\n*.out.yaml\n")
    cli.write("k8s/old/a.yaml", DEPLOYMENT)
    cli.write("k8s/old/b.out.yaml", DEPLOYMENT)
    assert cli("check", "k8s", "--format", "json").json["files"]["seen"] == 0
    assert cli("check", "k8s/old", "--format", "json").json["files"]["seen"] == 1
    assert cli("check", "k8s/old/b.out.yaml", "--format", "json").json["files"]["seen"] == 1
    assert cli("check", "--no-gitignore", "--format", "json").json["files"]["seen"] == 2


def test_without_a_repository_nothing_is_ignored(cli: Cli) -> None:
    (cli.folder / ".git").rmdir()
    cli.write(".gitignore", "*.yaml\n")
    cli.write("a.yaml", DEPLOYMENT)
    assert cli("check", "--format", "json").json["files"]["seen"] == 1
