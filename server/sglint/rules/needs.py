"""What would settle an undecided rule, as sentences with the remedy."""

from __future__ import annotations

from ..facts import Facts, Unknown
from .expr import Outcome

_REMEDIES = {
    "model": "name it in a comment `# sglint: model=ORG/NAME`, or give --model-config",
    "draft": "name it in a comment `# sglint: draft=ORG/NAME`, or give --draft-model-config",
    "gpu": "name it in a comment `# sglint: gpu=h200x8`, or give --gpu",
}

_OF_WORDS = ("what `", "which words ")
"""How the facts call words that are not known."""


def needs_of(outcome: Outcome, facts: Facts) -> tuple[str, ...]:
    """Sentences for the unknown leaf facts behind an undecided outcome; none for a decided one."""
    if not isinstance(outcome.truth, Unknown):
        return ()
    sentences: dict[str, None] = {}
    for name in outcome.decided:
        for leaf in sorted(facts.leaves_of(name)):
            value = facts.look(leaf)
            if isinstance(value, Unknown):
                sentences.update(dict.fromkeys(_sentence(leaf, reason) for reason in value.reasons))
    return tuple(sentences) or outcome.truth.reasons


def _sentence(leaf: str, reason: str) -> str:
    # Which words an unknown variable brings is not told by a name, whatever it is that hangs on them.
    remedy = None if reason.startswith(_OF_WORDS) else _REMEDIES.get(leaf.partition(".")[0])
    return f"{reason}: {remedy}" if remedy and "sglint:" not in reason else reason
