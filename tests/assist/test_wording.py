"""An upgrade in words."""

from __future__ import annotations

from sglint.assist import Upgrade, upgrade
from sglint.assist.wording import upgrade_markdown, upgrade_title
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document

TEXT = "python -m sglang.launch_server --model-path a --attention-backend fa3 --cuda-graph-max-bs 8\n"
CONFLICT = """\
# sglint: file release=0.5.18 gpu=h200 draft=draft-dspark-qwen3
python -m sglang.launch_server --model-path openai/gpt-oss-120b --enable-unified-memory --attention-backend triton \\
  --speculative-algorithm DSPARK --speculative-draft-model-path acme/gpt-oss-120b-dspark
"""


def found(release: str) -> Upgrade:
    settings = Settings(release="0.5.19")
    document = Document("a.sh", TEXT, "shell")
    return upgrade(document, lint(document, settings, fixes=False).judged[0], 0, release, settings)


def test_the_lens_counts() -> None:
    assert upgrade_title(found("0.5.20")).startswith("SGLang 0.5.20: 1 would break, ")


def test_the_page_has_what_breaks_what_moves_and_the_way_out() -> None:
    page = upgrade_markdown(found("0.5.20"))
    assert "From SGLang 0.5.19 to 0.5.20" in page
    assert "- SGL037: " in page
    assert "- `--attention-backend` -`cutlass_mla` -`dual_chunk_flash_attn` +`qsa`" in page
    assert "- `--swa-full-tokens-ratio` `0.8` becomes none" in page
    assert "Spell this launch as SGLang 0.5.20 does" in page


def test_a_launch_that_feels_nothing_is_told_so() -> None:
    assert upgrade_title(found("0.5.19")) == "SGLang 0.5.19: nothing changes for this launch"
    assert "Nothing changes" in upgrade_markdown(found("0.5.19"))


def test_a_release_that_no_longer_refuses_is_said_to_mend() -> None:
    document = Document("a.sh", CONFLICT, "shell")
    mended = upgrade(document, lint(document, Settings(), fixes=False).judged[0], 0, "0.5.21", Settings())
    assert upgrade_title(mended).startswith("SGLang 0.5.21: nothing breaks, 1 mended, ")
    page = upgrade_markdown(mended)
    assert page.index("Would no longer be refused for:") < page.index("- SGL101: ")


def test_what_both_releases_refuse_is_not_mended() -> None:
    document = Document("a.sh", CONFLICT.replace("--attention", "--enable-metrix --attention"), "shell")
    still = upgrade(document, lint(document, Settings(), fixes=False).judged[0], 0, "0.5.21", Settings())
    assert "SGL020" not in {finding.code for finding in still.mends}
