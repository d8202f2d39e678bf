"""An old command line on the newest release: every word that broke is found and can be mended, in one pass."""

from __future__ import annotations

from sglint.lint import fix_text, lint
from sglint.settings import Settings
from sglint.text import Document

RELEASE = "0.5.23"
SCRIPT = """\
#!/bin/bash
python3 -m sglang.launch_server --model-path /models/hybrid \\
  --cuda-graph-max-bs 64 \\
  --mamba-scheduler-strategy extra_buffer \\
  --nsa-prefill-backend x \\
  --tp 8 --pp 2
"""
WAYS = {
    "--cuda-graph-max-bs": ("SGL037", "Write --cuda-graph-max-bs-decode"),
    "--mamba-scheduler-strategy": ("SGL037", "Write --mamba-radix-cache-strategy"),
    # No release has such a backend, so the new name alone would only move the error.
    "--nsa-prefill-backend": ("SGL037", "Leave out --nsa-prefill-backend"),
    "--tp": ("SGL028", "Write --tp-size"),
    "--pp": ("SGL021", "Write --pp-size"),
}


def test_each_word_has_its_finding_and_a_verified_way_out() -> None:
    report = lint(Document("old.sh", SCRIPT, "shell"), Settings(release=RELEASE))
    found = {
        SCRIPT[finding.span.start : finding.span.end]: (finding.code, finding.fixes[0].title)
        for finding in report.findings
        if finding.stage == "parse"
    }
    assert found == WAYS
    assert all(fix.verified for finding in report.findings if finding.stage == "parse" for fix in finding.fixes)


def test_a_value_that_the_new_name_accepts_goes_along() -> None:
    text = SCRIPT.replace("backend x", "backend fa3")
    report = lint(Document("old.sh", text, "shell"), Settings(release=RELEASE))
    titles = [fix.title for finding in report.findings if "nsa" in finding.message for fix in finding.fixes]
    assert titles[0] == "Write --dsa-prefill-backend"


def test_one_pass_of_fix_mends_all_of_it() -> None:
    text, applied = fix_text(Document("old.sh", SCRIPT, "shell"), Settings(release=RELEASE), unsafe=True)
    assert len(applied) >= len(WAYS)
    assert [line.split("#")[0] for line in text.splitlines()[:2]] == [
        "",
        "python3 -m sglang.launch_server --model-path /models/hybrid \\",
    ]
    report = lint(Document("old.sh", text, "shell"), Settings(release=RELEASE))
    assert [finding.code for finding in report.findings if finding.stage == "parse"] == []
