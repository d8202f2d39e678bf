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


@pytest.mark.parametrize(
    ("model", "release", "expected"),
    [
        ("gpt-oss-20b", "0.5.20", {"triton", "trtllm_mha", "fa3", "fa4"}),
        ("llama-4-scout", "0.5.20", {"triton", "trtllm_mha", "fa3"}),
        ("gemma-4-31b", "0.5.17", {"triton", "trtllm_mha"}),
        ("gemma-4-31b", "0.5.19", {"triton", "trtllm_mha"}),
        ("gemma-4-31b", "0.5.21", {"triton", "trtllm_mha"}),
        ("gemma-4-31b", "0.5.22", {"triton", "trtllm_mha", "fa4"}),
    ],
)
def test_models_with_lists_of_their_own(model: str, release: str, expected: set[str]) -> None:
    own = ("SGL301", "SGL302", "SGL303")
    assert {name for name in BACKENDS if passes(codes(release, model, "--attention-backend", name), *own)} == expected
