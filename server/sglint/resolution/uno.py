"""UNO: the target drafts for itself under an adapter, in a chain or in a tree of tokens.

Source: ``_handle_uno`` of ``srt/arg_groups/speculative_hook.py`` (0.5.20 and later, the same in each).
"""

from __future__ import annotations

from ..facts import Facts

MOST_NODES = 128
"""Nodes that a tree may verify at once."""
MOST_FRONTIER_SLOTS = 2048
"""Most nodes times branches."""


def branches(facts: Facts) -> int:
    """Candidates a node, one unless written; more than one is a tree."""
    written = facts["args.speculative_eagle_topk"]
    return 1 if written is None else int(written)


def tree(facts: Facts) -> bool:
    """UNO verifies a tree of tokens."""
    return bool(facts["resolved.speculative_algorithm"] == "UNO" and facts["resolved.uno_branches"] > 1)


def tree_fault(facts: Facts) -> str | None:
    """Which condition on the shape of a tree fails first, None for a chain and for a tree that can be built.

    ``no-steps``, ``steps``: the depth is not given, or below one. ``narrow``: fewer verified tokens than levels.
    ``nodes``, ``slots``: over a limit. ``room``: more tokens than a tree of this depth has nodes. ``parents``: more
    than the list of parents holds.
    """
    if not facts["resolved.uno_tree"]:
        return None
    topk = facts["resolved.uno_branches"]
    steps, width = facts["args.speculative_num_steps"], int(facts["args.speculative_num_draft_tokens"] or 0)
    if steps is None:
        return "no-steps"
    if steps < 1:
        return "steps"
    if width < steps + 1:
        return "narrow"
    if width > MOST_NODES:
        return "nodes"
    if width * topk > MOST_FRONTIER_SLOTS:
        return "slots"
    if width > _nodes(topk, steps, width):
        return "room"
    return "parents" if width - 1 > topk * (steps - 1) + 1 else None


def _nodes(topk: int, steps: int, enough: int) -> int:
    """Nodes of a full tree of ``steps`` levels below its root, counted until there are ``enough``."""
    nodes = level = 1
    for _ in range(steps):
        level *= topk
        nodes += level
        if nodes >= enough:
            break
    return nodes


FACTS = {
    "uno_branches": branches,
    "uno_tree": tree,
    "uno_tree_fault": tree_fault,
}
