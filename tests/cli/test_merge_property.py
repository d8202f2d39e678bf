"""Whatever files a folder holds and however it is parted, the parts are the whole."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sglint.cli import app

from .test_cache_edits import CONTENTS, apply


def printed(*words: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        app.run(words)
    return out.getvalue()


FOLDERS = st.fixed_dictionaries({name: st.sampled_from([*texts, None]) for name, texts in CONTENTS.items()})


TOLD_TWICE = {
    **{name: texts[0] for name, texts in CONTENTS.items()},
    # A launch that reads it says what it says of itself.
    "serve.yaml": "tp-size: two\nmodel-path: ./own\n",
}


@settings(derandomize=True, deadline=None, max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@example(TOLD_TWICE, 2, "json")
@example(TOLD_TWICE, 2, "sarif")
@given(FOLDERS, st.integers(2, 5), st.sampled_from(["json", "sarif"]))
def test_the_parts_are_the_whole(files: dict[str, str | None], number: int, wanted: str) -> None:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as parts:
        try:
            os.chdir(folder)
            Path(".git").mkdir()
            for name, text in files.items():
                apply(name, text)
            names = []
            for part in range(1, number + 1):
                names.append(f"{parts}/{part}")
                Path(names[-1]).write_text(
                    printed("check", "--no-cache", "--format", wanted, "--shard", f"{part}/{number}")
                )
            assert printed("merge", *names) == printed("check", "--no-cache", "--format", wanted)
        finally:
            os.chdir(before)
