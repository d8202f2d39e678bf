"""The split between full-attention and sliding-window tokens.

Source: ``model_executor/pool_configurator.py:HybridSWAPoolConfigurator`` and the request-capped variant
(``SWAChunkCapPoolConfigurator`` through 0.5.21, ``SWARequestCapPoolConfigurator`` after).
"""

from __future__ import annotations

from bisect import bisect_right

from ..records import dataclass
from .cells import full_layer_bytes, swa_layer_bytes
from .fusion import Fusion
from .inputs import NotModelled, PoolInputs
from .result import Refusal


@dataclass(frozen=True)
class Split:
    """Token capacities of both sides. ``pool_bytes``: the unified pool's bytes as token sum (0.5.21+)."""

    max_total: int
    full: int
    swa: int
    pool_bytes: int | None = None


def align_down(tokens: int, page: int) -> int:
    return tokens // page * page


def align_up(tokens: int, page: int) -> int:
    return -(-tokens // page) * page


class SwaSizer:
    """Sizes both sides for one pipeline stage, ``rank``."""

    def __init__(self, inputs: PoolInputs, rank: int, fusion: Fusion | None) -> None:
        self.inputs = inputs
        full, swa = inputs.model.full_layer_ids, inputs.model.swa_layer_ids
        if full is None or swa is None:
            raise NotModelled("which layers of this model slide")
        stage = inputs.stage_layers(rank)
        # Through 0.5.20 the sizing also counts the first layer of the next stage.
        counted = stage if inputs.since("0.5.21") else range(stage.start, stage.stop + 1)
        self.full_layers = sum(layer in counted for layer in full)
        self.swa_layers = sum(layer in counted for layer in swa)
        self.full_per_token, self.swa_per_token = full_layer_bytes(inputs), swa_layer_bytes(inputs)
        self.ratio = inputs.swa_ratio
        self.page = inputs.page_size
        self.fused_full = fusion.full_entry if fusion else None
        self.fused_swa = fusion.swa_entry if fusion else None
        self.draft_full, self.draft_swa, self.draft_swa_full = self._draft_layers()
        self.draft_cell = 0 if self.fused_full or self.fused_swa else inputs.dflash_cell()
        self.cell = self._cell()

    def _draft_layers(self) -> tuple[int, int, int]:
        """Draft layers at full geometry, at window geometry, and at window geometry with full capacity."""
        layers = self.inputs.eagle_draft_layers()
        if not layers or self.fused_full or self.fused_swa:
            return 0, 0, 0
        banded = self.inputs.model.text.get("mtp_local_layer_ids")
        if banded is not None and self.inputs.since("0.5.16"):
            local = sum(1 for layer in set(banded) if layer < layers)
            return layers - local, 0, local
        windowed = 0
        draft = self.inputs.draft
        if self.inputs.since("0.5.19") and draft is not None:
            traits = draft.traits(self.inputs.release)
            if traits.hybrid_swa and not traits.deepseek_v4:
                windowed = min(len(draft.swa_layer_ids or ()), layers)
        return layers - windowed, windowed, 0

    def _cell(self) -> float:
        extra = self.swa_per_token * self.draft_swa_full + self.draft_cell
        if self.full_layers == 0:
            target = self.swa_per_token * (self.swa_layers + self.draft_swa)
            return target + self.full_per_token * self.draft_full + extra
        full = self.full_cell + self.swa_per_token * self.draft_swa_full
        return full + self.ratio * self.swa_cell + self.draft_cell

    @property
    def full_cell(self) -> int:
        if self.fused_full is not None:
            return self.fused_full
        return self.full_per_token * (self.full_layers + self.draft_full)

    @property
    def swa_cell(self) -> int:
        if self.fused_swa is not None:
            return self.fused_swa
        return self.swa_per_token * (self.swa_layers + self.draft_swa)

    @property
    def unified_full_entry(self) -> int:
        """Bytes a full-side token takes in the unified pool, private draft pools aside."""
        return self.fused_full if self.fused_full is not None else self.full_per_token * self.full_layers

    @property
    def draft_bytes_per_token(self) -> int:
        windowed = self.draft_swa + self.draft_swa_full
        return self.full_per_token * self.draft_full + self.swa_per_token * windowed + self.draft_cell

    def from_budget(self, budget: int) -> Split | Refusal:
        """Raises :class:`NotModelled` for a pipeline stage without attention layers."""
        if not self.cell:
            raise NotModelled("a pipeline stage without attention layers")
        if self.request_capped:
            return self._capped(budget)
        if self._solves_arena and self.full_layers:
            tokens = self._max_unified_full_tokens(budget, None)
        else:
            tokens = int(budget // self.cell)
        return self.from_tokens(tokens)

    def from_tokens(self, tokens: int) -> Split | Refusal:
        """The split under a token cap."""
        if self.request_capped:
            swa = min(align_up(self._request_cap(), self.page), tokens)
            return self._split(align_down(tokens, self.page), swa)
        if self.full_layers == 0:
            swa = align_down(tokens, self.page)
            return Split(swa, 0, swa)
        full = align_down(tokens, self.page)
        swa = align_down(int(full * self.ratio), self.page)
        checks_window = self.inputs.since("0.5.16") and not (self.inputs.unified and self.inputs.since("0.5.21"))
        window = self.inputs.window
        if checks_window and window is not None and window + self.page >= swa:
            return Refusal("swa-pool-small", f"{swa:,} sliding-window tokens cannot hold one request")
        return self._split(full, swa)

    @property
    def _solves_arena(self) -> bool:
        if not self.inputs.unified or not self.inputs.since("0.5.20"):
            return False
        return self.inputs.since("0.5.21") or self.draft_bytes_per_token > 0

    @property
    def request_capped(self) -> bool:
        """Whether the sliding-window side is sized from ``--max-running-requests`` instead of the ratio."""
        inputs = self.inputs
        chunk = inputs.chunked_prefill_size
        if inputs.max_running_requests is None or inputs.radix or inputs.window is None or not self.full_layers:
            return False
        if not inputs.since("0.5.14"):
            return False
        if inputs.since("0.5.22"):
            return inputs.disaggregation == "decode" or (chunk is not None and chunk > 0)
        return chunk is not None

    def _request_cap(self) -> int:
        inputs = self.inputs
        window, page = inputs.window or 0, self.page
        per_request = window + max(1, inputs.eviction_interval) * (inputs.draft_tokens or 1) + page
        per_request += page if inputs.algorithm is None else _decode_allocation(inputs)
        requests = inputs.requests_per_copy() or 0
        if inputs.disaggregation == "decode":
            return per_request * requests + (window + page) * inputs.decode_extra_slots
        chunks = 2 if inputs.overlap else 1
        return per_request * requests + chunks * (inputs.chunked_prefill_size or 0) + page

    def _capped(self, budget: int) -> Split | Refusal:
        swa = align_up(self._request_cap(), self.page)
        fixed = swa * self.swa_cell
        needs_solve = self.inputs.unified and self.inputs.since("0.5.20") and self.draft_bytes_per_token > 0
        if self.inputs.unified and self.inputs.release.startswith("0.5.21"):
            needs_solve = True
        if needs_solve:
            full = self._max_unified_full_tokens(budget, swa)
        else:
            cell = self.full_cell + self.swa_per_token * self.draft_swa_full
            cell += self.draft_cell if self.inputs.since("0.5.23") else 0
            full = align_down(int((budget - fixed) // cell), self.page)
        if full <= 0:
            return Refusal("swa-cap-large", f"{swa:,} sliding-window tokens leave no room for the full side")
        return self._split(full, swa)

    def _max_unified_full_tokens(self, budget: int, fixed_swa: int | None) -> int:
        """Largest page-aligned full capacity whose arena and private draft pool fit (``_max_unified_full_tokens``)."""
        entry, draft, page = self.unified_full_entry, self.draft_bytes_per_token, self.page

        def needed(pages: int) -> int:
            full = pages * page
            swa = fixed_swa if fixed_swa is not None else align_down(int(full * self.ratio), page)
            arena = full * entry + swa * self.swa_per_token * self.swa_layers
            span = max(arena // entry - 1, 0)
            return arena + (align_up(span, page) + page) * draft

        pages = bisect_right(range(budget // entry // page + 1), budget, key=needed) - 1
        return max(pages, 0) * page

    def _split(self, full: int, swa: int) -> Split:
        pool = None
        if self.inputs.unified and self.inputs.since("0.5.21"):
            pool = full * self.unified_full_entry + swa * self.swa_per_token * self.swa_layers
        return Split(full, full, swa, pool)


def _decode_allocation(inputs: PoolInputs) -> int:
    """KV tokens one request may hold for a speculative decode step.

    Source: ``utils/common.py:spec_decode_alloc_len_per_request``, ``mem_cache/allocation_sizing.py``.
    """
    steps, topk, tokens = inputs.steps or 1, inputs.topk or 1, inputs.draft_tokens or 1
    page = inputs.page_size
    if not inputs.overlap:
        if page > 1 and topk > 1:
            steps, tokens = align_up(steps + page, page), align_up(tokens, page)
        elif page > 1:
            steps, tokens = align_up(steps, page), align_up(tokens, page)
        return max(steps * topk, tokens)
    page *= inputs.dcp
    if page == 1 or topk == 1:
        return 2 * max(steps * topk, tokens)
    pages = (page - 1 + steps + page - 1) // page
    return 2 * max(pages * page * topk, tokens)
