"""Findings, launches and memory plans as Markdown, for hovers and panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..assist.links import upstream_url
from ..rules.findings import Finding, Judged
from .effects import effect_line
from .sizes import GIB, answers_text

_MARK = {"refused": "refused", "accepted": "starts", "unknown": "not decided"}


def finding_markdown(finding: Finding, explanation: str | None = None, *, told: bool = False) -> str:
    """A finding with its reasons; ``explanation`` is the rule's own text; ``told`` when its message stands beside."""
    lines = [f"**{finding.code}** `{finding.name}` ({_where(finding)})"]
    lines += [] if told else ["", finding.message]
    lines += _list(finding.explanation)
    if finding.needs:
        lines += ["", "What would decide it:", *_list(finding.needs)]
    effects = {fix.title: effect for fix in finding.fixes if (effect := effect_line(fix.effect))}
    if effects:
        lines += ["", "After each fix:", *_list([f"{title}: {effect}" for title, effect in effects.items()])]
    if explanation:
        lines += ["", explanation.strip()]
    if finding.evidence:
        first = finding.evidence[0]
        lines += ["", f"Upstream {first.release}: [`{first.path}`]({upstream_url(first)}), `{first.symbol}`"]
    return "\n".join(lines)


def launch_markdown(judged: Judged) -> str:
    """What a launch was taken for, where each part came from, and what the release will do with it."""
    verdict = judged.verdict
    stage = f" at {verdict.stage} by {verdict.code or verdict.check}" if verdict.status == "refused" else ""
    rows = [
        ("release", judged.release),
        ("model", judged.model),
        ("draft", judged.draft),
        ("GPU", judged.gpu),
        ("GPUs", judged.gpu_count),
    ]
    lines = [f"**SGLang {judged.release.value}: {_MARK[verdict.status]}{stage}**", "", "| | | from |", "|---|---|---|"]
    lines += [f"| {name} | `{evidence.value}` | {evidence.source} |" for name, evidence in rows if evidence]
    if judged.traits:
        lines += ["", f"Model traits in this release: {', '.join(judged.traits)}"]
    if verdict.needs:
        lines += ["", "Not decided without:", *_list(verdict.needs)]
    return "\n".join(lines)


def plan_markdown(plan: Mapping[str, Any], *, explained: bool = True) -> str:
    """The memory plan (in the form of the JSON of ``size``) as a table with its arithmetic below; ``""`` when empty."""
    pools = [pool for pool in plan.get("pools") or () if any(pool.get(key) is not None for key in _POOL_KEYS)]
    lines: list[str] = []
    if pools:
        lines += ["| pool | tokens | bytes per token | GiB | ids run to |", "|---|--:|--:|--:|--:|"]
        lines += [_pool_row(pool) for pool in pools]
    if plan.get("max_total_num_tokens") is not None:
        lines += ["", f"`max_total_num_tokens` {plan['max_total_num_tokens']:,}"]
    lines += ["", *_list(answers_text(plan))] if answers_text(plan) else []
    if explained:
        lines += ["", *_list(plan.get("explanation") or ())] if plan.get("explanation") else []
        lines += ["", *_list([f"not known: {need}" for need in plan["needs"]])] if plan.get("needs") else []
    return "\n".join(lines).strip()


_POOL_KEYS = ("tokens", "bytes", "per_token_bytes", "virtual_id_span")


def _pool_row(pool: Mapping[str, Any]) -> str:
    size = pool.get("bytes")
    cells = (
        str(pool["name"]),
        _number(pool.get("tokens")),
        _number(pool.get("per_token_bytes")),
        "" if size is None else f"{size / GIB:.2f}",
        _number(pool.get("virtual_id_span")),
    )
    return f"| {' | '.join(cells)} |"


def _number(value: int | float | None) -> str:
    return "" if value is None else f"{value:,}"


def _list(items: Sequence[str]) -> Iterator[str]:
    return (f"- {item}" for item in items)


def _where(finding: Finding) -> str:
    parts = [finding.stage, finding.releases]
    return ", ".join(part for part in parts if part) or finding.severity
