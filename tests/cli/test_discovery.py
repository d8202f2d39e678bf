"""Which files a run looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sglint.cli.discovery import Candidate, NoSuchPath, candidates
from sglint.report.run import Skipped


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, name: str, text: str = "x: 1\n") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def found(*paths: str) -> list[str]:
    return [item.path for item in candidates(paths) if isinstance(item, Candidate)]


def passed_over(*paths: str) -> list[tuple[str, str]]:
    return [(item.path, item.reason) for item in candidates(paths) if isinstance(item, Skipped)]


def test_a_folder_is_walked_in_order_of_names(folder: Path) -> None:
    for name in ("b/z.yaml", "b/a.sh", "a.yml", "c.yaml", "README.md"):
        write(folder, name)
    assert found(".") == ["a.yml", "b/a.sh", "b/z.yaml", "c.yaml"]


def test_paths_are_shown_as_they_were_given(folder: Path) -> None:
    write(folder, "deploy/a.yaml")
    assert found("deploy") == ["deploy/a.yaml"]
    assert found("./deploy/") == ["deploy/a.yaml"]
    assert found(str(folder / "deploy")) == [str(folder / "deploy/a.yaml")]


def test_a_file_named_twice_is_read_once(folder: Path) -> None:
    write(folder, "deploy/a.yaml")
    assert found("deploy/a.yaml", "deploy", ".") == ["deploy/a.yaml"]


def test_folders_of_tools_are_not_entered(folder: Path) -> None:
    for name in (".git/a.yaml", "node_modules/x/a.yaml", ".venv/a.sh", ".github/workflows/a.yaml"):
        write(folder, name)
    assert found(".") == [".github/workflows/a.yaml"]


def test_a_script_without_suffix_is_known_by_its_first_line(folder: Path) -> None:
    write(folder, "serve", "#!/usr/bin/env bash\nexec true\n")
    write(folder, "tool", "#!/usr/bin/env python3\n")
    write(folder, "NOTES", "no script\n")
    assert [(item.path, item.language) for item in candidates(["."]) if isinstance(item, Candidate)] == [
        ("serve", "shell"),
        ("tool", "python"),
    ]


def test_a_loop_of_links_ends(folder: Path) -> None:
    write(folder, "a/x.yaml")
    (folder / "a" / "again").symlink_to(folder / "a", target_is_directory=True)
    (folder / "self.yaml").symlink_to("self.yaml")
    (folder / "lost.yaml").symlink_to("nowhere.yaml")
    assert found(".") == ["a/x.yaml"]
    assert [path for path, _ in passed_over(".")] == ["lost.yaml", "self.yaml"]
    assert not any(item.failed for item in candidates(["."]) if isinstance(item, Skipped))


def test_a_link_to_a_file_is_read(folder: Path) -> None:
    write(folder, "real.yaml")
    (folder / "link.yaml").symlink_to("real.yaml")
    assert found(".") == ["link.yaml", "real.yaml"]


def test_a_pipe_in_a_folder_is_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    os.mkfifo(folder / "pipe")
    assert passed_over(".") == [("pipe.yaml", "not a regular file")]


def test_a_named_file_of_another_kind_says_so(folder: Path) -> None:
    write(folder, "notes.md")
    ((path, reason),) = passed_over("notes.md")
    assert path == "notes.md"
    assert "not a kind of file" in reason


def test_a_path_that_is_not_there(folder: Path) -> None:
    assert [str(item) for item in candidates(["gone"]) if isinstance(item, NoSuchPath)] == ["gone"]
