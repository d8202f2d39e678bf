"""A memory plan, and a hover with the plan after each of three fixes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from .measure import ROOT, SERVER

PLAN_AIM, HOVER_AIM = 2.0, 20.0
LAUNCHES = (
    (
        "gpt-oss-120b, unified with DSPARK, 0.5.18",
        "0.5.18",
        "openai/gpt-oss-120b",
        "draft-dspark-qwen3",
        "--attention-backend triton --enable-unified-memory --speculative-algorithm DSPARK "
        "--speculative-draft-model-path draft",
    ),
    ("Qwen3-Next-80B with state, 0.5.23", "0.5.23", "qwen3-next-80b-a3b", None, "--tp-size 4"),
    ("DeepSeek-V3, 0.5.21", "0.5.21", "deepseek-ai/DeepSeek-V3", None, "--tp-size 8"),
    ("Qwen3-32B, 0.5.9", "0.5.9", "Qwen/Qwen3-32B", None, ""),
)
DEMO = ROOT / "demo" / "k8s" / "gpt-oss-120b.yaml"


def _milliseconds(work: Callable[[], object], rounds: int = 5, times: int = 20) -> float:
    """Least CPU milliseconds of one call over rounds of many."""
    work()
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - begun) / times)
    return best * 1000


def plans() -> list[tuple[str, float, float]]:
    """(launch, ms of a plan with facts made anew, ms of the same with its answers and sentences as JSON)."""
    sys.path[:0] = [str(SERVER)]
    from sglint.memory import plan
    from tests.memory.launches import facts_for

    found = []
    for name, release, model, draft, options in LAUNCHES:

        def facts(release: str = release, options: str = options, model: str = model, draft: str | None = draft):  # type: ignore[no-untyped-def]
            return facts_for(release, options, model=model, draft=draft)

        alone = _milliseconds(facts)
        bare = _milliseconds(lambda facts=facts: plan(facts()))  # type: ignore[misc]
        whole = _milliseconds(lambda facts=facts: plan(facts()).to_json())  # type: ignore[misc]
        found.append((name, bare - alone, whole - alone))
    return found


def hover() -> tuple[float, int]:
    """ms of a hover at the finding of the demo whose fixes were not made yet, and how many it compares."""
    from lsprotocol import types

    from sglint.lint import lint
    from sglint.lsp.hover import hover as hover_at
    from sglint.settings import Settings
    from sglint.text import Document, Sources

    document = Document(str(DEMO), DEMO.read_text(encoding="utf-8"), "yaml")
    sources = Sources(lambda path: None)
    report = lint(document, Settings(), sources, fixes=True)
    finding = next(found for found in report.findings if found.code == "SGL101")
    at = document.lines.position(finding.span.start, "utf-16")
    place = types.Position(at.line, at.character)
    shown = hover_at(report, place, "utf-16")
    assert shown is not None and isinstance(shown.contents, types.MarkupContent)
    compared = len({fix.title for fix in finding.fixes})
    assert "After each fix:" in shown.contents.value
    fresh = _milliseconds(lambda: hover_at(lint(document, Settings(), sources, fixes=True), place, "utf-16"), times=5)
    return fresh - _milliseconds(lambda: lint(document, Settings(), sources, fixes=False), times=5), compared


def main() -> None:
    for name, bare, whole in plans():
        print(f"plan of {name}: {bare:.2f} ms of CPU; with answers and sentences {whole:.2f} ms; aim {PLAN_AIM:.0f} ms")
    took, compared = hover()
    print(f"hover with {compared} fixes compared, made anew: {took:.1f} ms of CPU; aim {HOVER_AIM:.0f} ms\n")


if __name__ == "__main__":
    main()
