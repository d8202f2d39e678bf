"""Which backends each release admits on the unified pool: the tables of the releases' own sets, cell by cell."""

from __future__ import annotations

import pytest

from sglint.lint.verdict import judged

MLA = "kimi-linear-48b-a3b"
MHA = "qwen3-next-80b-a3b"
ASYMMETRIC = "mimo-v2-flash"
BACKENDS = {
    "triton", "fa3", "fa4", "flashinfer", "trtllm_mha", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla",
    "cutlass_mla",
}  # fmt: skip
PAGED_MLA = {"triton", "fa3", "trtllm_mla", "flashinfer", "cutedsl_mla", "tokenspeed_mla"}
PER_LAYER = {"triton", "fa3", "fa4", "flashinfer", "trtllm_mha"}
RAILS = {"triton", "flashinfer", "fa3"}
DSPARK = ("--speculative-algorithm", "DSPARK", "--speculative-draft-model-path", "draft-dspark-qwen3")
DFLASH = ("--speculative-algorithm", "DFLASH", "--speculative-draft-model-path", "draft-dflash-qwen3")
EAGLE3 = ("--speculative-algorithm", "EAGLE3", "--speculative-draft-model-path", "draft-eagle3-llama")


def codes(release: str, model: str, *words: str, gpu: str = "b200") -> set[str] | None:
    """The codes of all certain findings; None for words that the release's parser refuses."""
    argv = ["--model-path", model, "--tp", "8", "--trust-remote-code", "--enable-unified-memory", *words]
    _, _, judgement = judged({"release": release, "gpu": gpu, "gpus": 8, "argv": argv})
    assert judgement.crashes == ()
    if judgement.verdict.stage == "parse":
        return None
    return {hit.rule.code for hit in judgement.certain}


def passes(codes: set[str] | None, *own: str) -> bool:
    return codes is not None and not codes & set(own)


def admitted(code: str, release: str, model: str, *words: str, flag: str = "--attention-backend") -> set[str]:
    return {name for name in BACKENDS if passes(codes(release, model, flag, name, *words), code)}


@pytest.mark.parametrize(
    ("release", "model", "expected"),
    [
        ("0.5.15.post1", MLA, {"triton"}),
        ("0.5.16", MLA, {"triton"}),
        ("0.5.17", MLA, PAGED_MLA),
        ("0.5.18", MLA, PAGED_MLA),
        *((release, MLA, PAGED_MLA | {"flashmla"}) for release in ("0.5.19", "0.5.20", "0.5.21", "0.5.22")),
        # tokenspeed_mla is another name for cutedsl_mla from 0.5.23 on.
        ("0.5.23", MLA, PAGED_MLA | {"flashmla"}),
        *((release, MHA, {"triton"}) for release in ("0.5.15.post1", "0.5.16", "0.5.17", "0.5.18")),
        *((release, MHA, PER_LAYER) for release in ("0.5.19", "0.5.20", "0.5.21", "0.5.22", "0.5.23")),
        ("0.5.23", ASYMMETRIC, {"triton", "fa3", "fa4"}),
    ],
)
def test_page_major(release: str, model: str, expected: set[str]) -> None:
    assert admitted("SGL105", release, model) == expected


@pytest.mark.parametrize(
    ("release", "draft", "words", "expected"),
    [
        *((release, DSPARK, (), {"triton", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla"})
          for release in ("0.5.18", "0.5.19", "0.5.20", "0.5.21")),
        ("0.5.22", DSPARK, (), {"triton", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla", *RAILS}),
        ("0.5.22", DSPARK, ("--dcp-size", "2"),
         {"triton", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla", "fa3"}),
        ("0.5.23", DSPARK, (), {"triton", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla", "fa4", *RAILS}),
        ("0.5.23", DSPARK, ("--dcp-size", "2"),
         {"triton", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla", "fa4", "fa3"}),
        ("0.5.22", DFLASH, (), RAILS),
        ("0.5.22", DFLASH, ("--dcp-size", "2"), RAILS - {"flashinfer"}),
        ("0.5.23", DFLASH, (), RAILS | {"trtllm_mha"}),
        ("0.5.23", DFLASH, ("--dcp-size", "2"), RAILS - {"flashinfer"} | {"trtllm_mha"}),
    ],
)  # fmt: skip
def test_verification(release: str, draft: tuple[str, ...], words: tuple[str, ...], expected: set[str]) -> None:
    assert admitted("SGL104", release, MLA, *draft, *words) == expected


@pytest.mark.parametrize(
    ("release", "model", "expected"),
    [
        ("0.5.22", MLA, RAILS | {"trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla"}),
        ("0.5.22", MHA, RAILS),
        ("0.5.23", MLA, RAILS | {"trtllm_mla", "cutedsl_mla", "tokenspeed_mla", "flashmla"}),
        ("0.5.23", MHA, RAILS | {"trtllm_mha"}),
    ],
)
def test_eagle_targets(release: str, model: str, expected: set[str]) -> None:
    assert admitted("SGL109", release, model, *EAGLE3) == expected


@pytest.mark.parametrize(("release", "expected"), [("0.5.22", RAILS), ("0.5.23", RAILS | {"trtllm_mha"})])
def test_eagle_drafts(release: str, expected: set[str]) -> None:
    words = ("--attention-backend", "triton", *EAGLE3)
    assert admitted("SGL110", release, MHA, *words, flag="--speculative-draft-attention-backend") == expected


LINEAR = {"triton", "flashinfer", "flashkda", "cutedsl", "helion"}


@pytest.mark.parametrize(
    ("release", "model", "flag", "expected"),
    [
        ("0.5.16", MHA, "--linear-attn-decode-backend", {"triton"}),
        ("0.5.17", MHA, "--linear-attn-decode-backend", {"triton", "flashinfer"}),
        ("0.5.17", MLA, "--linear-attn-decode-backend", {"triton", "flashinfer", "cutedsl"}),
        ("0.5.18", MLA, "--linear-attn-decode-backend", {"triton", "flashinfer", "cutedsl", "helion"}),
        ("0.5.23", MHA, "--linear-attn-decode-backend", {"triton", "flashinfer"}),
        ("0.5.17", MHA, "--linear-attn-prefill-backend", {"triton", "flashkda"}),
        ("0.5.17", MLA, "--linear-attn-prefill-backend", {"triton", "flashkda", "cutedsl"}),
        ("0.5.22", MLA, "--linear-attn-prefill-backend", {"triton", "flashkda", "cutedsl", "helion"}),
        ("0.5.22", MHA, "--linear-attn-prefill-backend", {"triton", "flashkda"}),
        ("0.5.23", MHA, "--linear-attn-prefill-backend", {"triton", "flashkda", "flashinfer"}),
        ("0.5.23", MLA, "--linear-attn-prefill-backend", {"triton", "flashkda", "flashinfer", "cutedsl", "helion"}),
    ],
)
def test_linear_attention(release: str, model: str, flag: str, expected: set[str]) -> None:
    found = {name for name in LINEAR if passes(codes(release, model, flag, name, gpu="h200"), "SGL113")}
    assert found == expected


@pytest.mark.parametrize("release", ["0.5.20", "0.5.22", "0.5.23"])
def test_decode_context_parallelism(release: str) -> None:
    expected = {"flashinfer", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla"}
    assert admitted("SGL119", release, MLA, "--dcp-size", "2") == expected


ELSEWHERE = {"ascend", "intel_amx", "intel_xpu", "aiter"}
"""Backends of other platforms: the lists of models name them too, so what stops them comes later."""
SINKS = {"triton", "trtllm_mha", "fa3", "fa4", *ELSEWHERE}
CHUNKS = {"triton", "trtllm_mha", "fa3", *ELSEWHERE} - {"intel_amx"}


@pytest.mark.parametrize(
    ("model", "release", "expected"),
    [
        ("gpt-oss-20b", "0.5.17", SINKS),
        ("gpt-oss-20b", "0.5.20", SINKS),
        ("llama-4-scout", "0.5.17", CHUNKS),
        ("llama-4-scout", "0.5.20", CHUNKS),
        ("gemma-4-31b", "0.5.17", {"triton", "trtllm_mha", "ascend", "intel_xpu"}),
        ("gemma-4-31b", "0.5.18", {"triton", "trtllm_mha", "ascend", "intel_xpu", "intel_amx"}),
        ("gemma-4-31b", "0.5.19", {"triton", "trtllm_mha", "ascend", "intel_xpu", "intel_amx"}),
        ("gemma-4-31b", "0.5.21", {"triton", "trtllm_mha", *ELSEWHERE}),
        ("gemma-4-31b", "0.5.22", {"triton", "trtllm_mha", "fa4", *ELSEWHERE}),
    ],
)
def test_models_with_lists_of_their_own(model: str, release: str, expected: set[str]) -> None:
    own = ("SGL301", "SGL302", "SGL303")
    names = BACKENDS | ELSEWHERE
    assert {name for name in names if passes(codes(release, model, "--attention-backend", name), *own)} == expected


FP4_MHA = {"triton", "torch_native", "flex_attention", "trtllm_mha"}
FP4_MLA = {"cutlass_mla", "flashinfer", "trtllm_mla"}
ANY_MLA = {"triton", "fa3", "flashinfer", "trtllm_mla", "flashmla", "torch_native", "flex_attention", "trtllm_mha"}
ONE = ("--attention-backend",)
BEHIND_FLASHINFER = ("--prefill-attention-backend", "flashinfer", "--decode-attention-backend")
BEHIND_FA4 = ("--prefill-attention-backend", "fa4", "--decode-attention-backend")


@pytest.mark.parametrize(
    ("release", "cache", "model", "flags", "expected"),
    [
        ("0.5.15.post1", "fp4_e2m1", "qwen3-8b", ONE, FP4_MHA),
        ("0.5.15.post1", "fp4_e2m1", "deepseek-v3", ONE, FP4_MLA | {"flashmla"}),
        ("0.5.15.post1", "fp4_e2m1", "qwen3-8b", BEHIND_FA4, FP4_MHA - {"trtllm_mha"}),
        ("0.5.15.post1", "fp4_e2m1", "deepseek-v3", BEHIND_FA4, FP4_MLA),
        *(
            (release, cache, model, flags, expected)
            for release in ("0.5.17", "0.5.19")
            for cache in ("nvfp4", "fp4_mx_block16")
            for model, flags, expected in (
                ("qwen3-8b", ONE, FP4_MHA),
                ("qwen3-8b", BEHIND_FA4, FP4_MHA - {"trtllm_mha"}),
                ("deepseek-v3", ONE, FP4_MLA),
                ("deepseek-v3", BEHIND_FA4, FP4_MLA),
            )
        ),
        *(
            (release, "fp4_mx_block16", model, flags, expected)
            for release in ("0.5.20", "0.5.23")
            for model, flags, expected in (
                ("qwen3-8b", ONE, FP4_MHA),
                ("qwen3-8b", BEHIND_FA4, FP4_MHA - {"trtllm_mha"}),
                ("deepseek-v3", ONE, FP4_MLA - {"cutlass_mla"}),
                ("deepseek-v3", BEHIND_FA4, FP4_MLA - {"cutlass_mla"}),
            )
        ),
        ("0.5.20", "nvfp4", "deepseek-v3", ONE, FP4_MLA - {"cutlass_mla"}),
        *(
            (release, cache, "deepseek-v3", flags, ANY_MLA | ({"cutlass_mla"} if release < "0.5.20" else set()))
            for release, four_bits in (
                ("0.5.15.post1", "fp4_e2m1"),
                ("0.5.17", "fp4_mx_block16"),
                ("0.5.19", "fp4_mx_block16"),
                ("0.5.20", "fp4_mx_block16"),
            )
            # Other caches ask for nothing, and pairs of two backends are let through with a warning.
            for cache, flags in (("auto", BEHIND_FA4), (four_bits, BEHIND_FLASHINFER))
        ),
        ("0.5.20", "nvfp4", "qwen3-8b", ONE, FP4_MHA),
        ("0.5.20", "nvfp4", "deepseek-v3", BEHIND_FA4, FP4_MLA - {"cutlass_mla"}),
    ],
)
def test_four_bit_caches(release: str, cache: str, model: str, flags: tuple[str, ...], expected: set[str]) -> None:
    # CuteDSL prefills on another backend, and pairs of two are let through with a warning.
    names = (BACKENDS | FP4_MHA) - {"cutedsl_mla", "tokenspeed_mla", "fa4"}
    words = ("--kv-cache-dtype", cache, *flags)
    assert {name for name in names if passes(codes(release, model, *words, name), "SGL315")} == expected


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("0.5.17", {"cutedsl_mla", "tokenspeed_mla"}),
        ("0.5.19", {"cutedsl_mla", "tokenspeed_mla"}),
        ("0.5.20", {"cutedsl_mla", "tokenspeed_mla", "aiter"}),
        ("0.5.23", {"cutedsl_mla", "tokenspeed_mla", "aiter"}),
    ],
)
def test_kimi_k3_decodes_in_context_groups(release: str, expected: set[str]) -> None:
    flag = ("--dcp-size", "2", "--decode-attention-backend")
    names = BACKENDS | ELSEWHERE
    assert {name for name in names if passes(codes(release, "kimi-k3", *flag, name), "SGL308")} == expected
