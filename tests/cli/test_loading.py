"""Bytes to documents: encodings, limits, and files in which nothing can start a server."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from sglint.cli import loading
from sglint.cli.discovery import Candidate
from sglint.cli.loading import Loaded, load
from sglint.report.run import Skipped
from sglint.text import Span

TEXT = "run: python -m sglang.launch_server # 模型 🚀\r\n"


def loaded(folder: Path, data: bytes, *, named: bool = False) -> Loaded | Skipped | None:
    path = folder / "a.yaml"
    path.write_bytes(data)
    return load(Candidate(str(path), "yaml", named))


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
    ids=["utf-8", "utf-8-bom", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"],
)
def test_an_encoding_is_read_and_written_back_as_it_was(tmp_path: Path, data: bytes) -> None:
    found = loaded(tmp_path, data)
    assert isinstance(found, Loaded)
    assert found.document.text == TEXT
    assert found.encode(found.document.text) == data


def test_a_file_that_mentions_nothing_is_not_decoded(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"kind: Service\n\xff\n") is None


def test_a_file_named_by_the_user_is_always_decoded(tmp_path: Path) -> None:
    assert isinstance(loaded(tmp_path, b"kind: Service\n", named=True), Loaded)


def test_a_byte_that_is_no_utf8_is_placed(tmp_path: Path) -> None:
    found = loaded(tmp_path, "# é ".encode() + b"caf\xe9 sglang\n")
    assert isinstance(found, Loaded)
    assert found.damaged == Span(7, 8)
    assert found.document.text == "# é caf\ufffd sglang\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"sglang\0\0", "binary"),
        (codecs.BOM_UTF16_LE + b"a", "begins like UTF-16 and is not"),
    ],
)
def test_what_is_no_text_is_skipped_with_the_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    found = loaded(tmp_path, data)
    assert isinstance(found, Skipped)
    assert reason in found.reason


def test_a_file_over_the_limit_is_skipped_with_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 1_000_000)
    found = loaded(tmp_path, b"sglang " * 200_000)
    assert found == Skipped(str(tmp_path / "a.yaml"), "larger than 1 MB")


def test_a_file_that_vanished_is_skipped_with_the_systems_words(tmp_path: Path) -> None:
    found = load(Candidate(str(tmp_path / "gone.yaml"), "yaml", False))
    assert isinstance(found, Skipped)
    assert (found.reason, found.failed) == ("no such file or directory", True)


def test_content_tells_a_script_from_yaml() -> None:
    assert loading.language_of_content(b"#!/bin/sh\nexec x\n") == "shell"
    assert loading.language_of_content(b"apiVersion: v1\n") == "yaml"
