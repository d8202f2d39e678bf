"""DeepSeek-V4: full, sliding-window and compressed pools.

Source: ``model_executor/pool_configurator.py:DSV4PoolConfigurator``. Two shapes: 0.5.15 to 0.5.20 price every pool per
full token; from 0.5.21 rows carry page padding and compress state follows the window pool's pages.
"""

from __future__ import annotations

from ..records import dataclass
from .inputs import NotModelled, PoolInputs
from .result import Refusal
from .swa import align_down

DEFAULT_RATIO = 0.1
_STATE_BYTES = 4  # compress state is float32 by default
_PAGE_PAD = 576  # rows of a page are padded to a multiple of this many bytes


@dataclass(frozen=True)
class Dsv4Sizes:
    full: int
    swa: int
    c4: int
    c128: int
    bytes_per_full_token: float


def page_refusal(inputs: PoolInputs) -> Refusal | None:
    """Whether the pools' page size is refused, which is asked before anything is sized."""
    if inputs.page_size % 128 == 0:
        return None
    return Refusal("dsv4-page", "compressed attention needs a page size that is a multiple of 128")


class Dsv4Sizer:
    """Sizes the pools of one pipeline stage."""

    def __init__(self, inputs: PoolInputs, rank: int, *, sm: int | None = None) -> None:
        ratios = inputs.model.compress_ratios
        if ratios is None or inputs.model.index_head_dim is None:
            raise NotModelled("compressed attention without compress_ratios and index_head_dim")
        if inputs.since("0.5.21") and (sm is None or sm // 10 == 10):
            raise NotModelled(f"the KV layout that {inputs.release} picks for DeepSeek-V4 on this GPU")
        if any(ratio not in (0, 4, 128) for ratio in ratios):
            raise NotModelled("compression ratios other than 4 and 128")
        self.inputs = inputs
        stage = inputs.stage_layers(rank)
        # The list has an entry for each prediction layer too; a stage takes its own slice.
        self.ratios = ratios[stage.start : stage.stop]
        if not self.ratios:
            raise NotModelled("a pipeline stage without attention layers")
        self.head_dim = inputs.model.head_dim
        self.row = self.head_dim - (inputs.model.qk_rope_head_dim or 0) + (inputs.model.qk_rope_head_dim or 0) * 2 + 8
        self.index_dim = inputs.model.index_head_dim
        self.index_row = self.index_dim + self.index_dim // 128 * 4
        speculative = inputs.algorithm is not None
        self.rings = {4: 16 if speculative else 8, 128: 256 if speculative else 128}
        self.inflation = (len(self.ratios) + 1) / len(self.ratios) if speculative else 1.0
        self.swa_bytes = self._bytes_per_swa_token()
        self.full_bytes = self._bytes_per_full_token()
        if speculative:
            self.full_bytes *= self.inflation

    def _count(self, ratio: int) -> int:
        return sum(1 for each in self.ratios if each == ratio)

    def _bytes_per_swa_token(self) -> float:
        page = self.inputs.page_size
        state = self.rings[4] / page * (4 * self.head_dim + 4 * self.index_dim) * _STATE_BYTES
        return self._padded(page) * len(self.ratios) + state * self._count(4)

    def _padded(self, rows: int) -> float:
        """Bytes of a row when ``rows`` of them make a page."""
        return -(-self.row * rows // _PAGE_PAD) * _PAGE_PAD / rows

    def _bytes_per_full_token(self) -> float:
        four, many = self._count(4), self._count(128)
        ratio = self.inputs.swa_ratio
        if self.inputs.since("0.5.21"):
            page = self.inputs.page_size
            per_four = 1 / 4 * self._padded(page // 4) + 1 / 4 * self.index_row
            per_many = 1 / 128 * self._padded(page // 128)
            return ratio * self.swa_bytes + (per_four * four + per_many * many)
        state_ratio = self.rings[4] / (self.inputs.model.sliding_window or 1)
        state, index_state = 4 * self.head_dim * _STATE_BYTES, 4 * self.index_dim * _STATE_BYTES
        return (
            ratio * self.row * len(self.ratios)
            + 1 / 4 * self.row * four
            + 1 / 128 * self.row * many
            + 1 / 4 * self.index_row * four
            + ratio * state_ratio * state * four
            + ratio * state_ratio * index_state * four
        )

    def from_budget(self, budget: int) -> Dsv4Sizes | Refusal:
        requests = self.inputs.requests_per_copy()
        if requests is None:
            tokens = int(budget / self.full_bytes)
            requests = min(max(min(int(tokens / self.inputs.context_length * 512), 4096), 2048), tokens // 2)
        left = max(budget - self._c128_state_bytes(requests), 0)
        return self.from_tokens(int(left / self.full_bytes))

    def from_tokens(self, tokens: int) -> Dsv4Sizes | Refusal:
        page = self.inputs.page_size
        if self.inputs.kv_bytes > 1:
            text = f"DeepSeek-V4's pools store 8-bit rows only, not {self.inputs.kv_dtype}"
            return Refusal("dsv4-dtype", text)
        full = align_down(tokens, page)
        swa = align_down(int(full * self.inputs.swa_ratio), page)
        window = self.inputs.window
        if self.inputs.since("0.5.20") and window is not None and window + page >= swa:
            return Refusal("swa-pool-small", f"{swa:,} sliding-window tokens cannot hold one request")
        return Dsv4Sizes(full, swa, full // 4, full // 128, self.full_bytes)

    def _c128_state_bytes(self, requests: int) -> int:
        extra = self.inputs.decode_extra_slots if self.inputs.disaggregation == "decode" else 0
        slots = requests + extra + 1
        rows = slots * self.rings[128] + self.rings[128] + 1
        rows = -(-rows // 128) * 128
        return rows * 2 * self.head_dim * _STATE_BYTES * self._count(128)
