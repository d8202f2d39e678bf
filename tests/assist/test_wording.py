"""An upgrade in words."""

from __future__ import annotations

from sglint.assist import Upgrade, upgrade
from sglint.assist.wording import upgrade_markdown, upgrade_title
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document

TEXT = "python -m sglang.launch_server --model-path a --attention-backend fa3 --cuda-graph-max-bs 8\n"


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
