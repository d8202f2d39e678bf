"""Weights from a checkpoint on disk: headers only, hostile files included."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest

from sglint.lint import lint
from sglint.memory.parameters import Split, parts
from sglint.memory.weights import BESIDE_BYTES, draft_bytes, weight_bytes
from sglint.models import ModelFacts, facts_from_config, load
from sglint.models.checkpoint import Damaged, read_checkpoint
from sglint.records import replace
from sglint.settings import Settings
from sglint.text import Document, Sources

CONFIG: dict[str, Any] = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "model_type": "qwen3_moe",
    "hidden_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "intermediate_size": 512,
    "moe_intermediate_size": 128,
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 1024,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
ATTENTION = {"q_proj": (512, 256), "k_proj": (128, 256), "v_proj": (128, 256), "o_proj": (256, 512)}
EXPERT = {"gate_proj": (128, 256), "up_proj": (128, 256), "down_proj": (256, 128)}


def tensors(layers: int = 2, dtype: str = "BF16") -> dict[str, tuple[str, tuple[int, ...]]]:
    found: dict[str, tuple[str, tuple[int, ...]]] = {
        "model.embed_tokens.weight": ("BF16", (1024, 256)),
        "lm_head.weight": ("BF16", (1024, 256)),
    }
    for layer in range(layers):
        found |= {f"model.layers.{layer}.self_attn.{name}.weight": (dtype, s) for name, s in ATTENTION.items()}
        found[f"model.layers.{layer}.mlp.gate.weight"] = ("BF16", (8, 256))
        for expert in range(8):
            path = f"model.layers.{layer}.mlp.experts.{expert}"
            found |= {f"{path}.{name}.weight": (dtype, shape) for name, shape in EXPERT.items()}
    return found


def write(file: Path, found: dict[str, tuple[str, tuple[int, ...]]]) -> int:
    """A safetensors file without its data, which is a hole."""
    width = {"BF16": 2, "F32": 4, "F8_E4M3": 1, "I64": 8}
    header, at = {}, 0
    for name, (dtype, shape) in found.items():
        size = math.prod(shape) * width[dtype]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    raw = json.dumps(header).encode()
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(raw)) + raw)
        out.truncate(8 + len(raw) + at)
    return at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    return tmp_path


def loaded(folder: Path) -> ModelFacts:
    return load(folder)


@pytest.mark.parametrize(("tp", "attn_tp", "pp"), [(1, 1, 1), (2, 2, 1), (4, 4, 1), (4, 1, 1), (1, 1, 2)])
def test_headers_and_the_estimate_agree_on_a_plain_checkpoint(folder: Path, tp: int, attn_tp: int, pp: int) -> None:
    write(folder / "model.safetensors", tensors())
    model = loaded(folder)
    read = weight_bytes(model, Split(tp, attn_tp), pp, None)
    counted = weight_bytes(replace(model, folder=None), Split(tp, attn_tp), pp, None)
    assert read.measured == "headers of 1 file beside config.json"
    assert counted.measured is None
    assert read.value == pytest.approx(counted.value, rel=1e-6)


def test_formats_of_the_files_count_not_those_of_the_configuration(folder: Path) -> None:
    write(folder / "model.safetensors", tensors(dtype="F8_E4M3"))
    half = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    write(folder / "model.safetensors", tensors())
    whole = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    assert 0.4 < (half.low / whole.low) < 0.7


def test_matrices_in_32_bits_are_loaded_in_16(folder: Path) -> None:
    write(folder / "model.safetensors", tensors(dtype="F32"))
    assert weight_bytes(loaded(folder), Split(1, 1), 1, None).low == pytest.approx(
        sum(part.parameters * 2 for part in parts(loaded(folder), Split(1, 1)))
    )


def test_prediction_layers_are_not_loaded(folder: Path) -> None:
    write(folder / "model.safetensors", tensors(layers=3) | {"mtp.fc.weight": ("BF16", (512, 512))})
    with_head = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    write(folder / "model.safetensors", tensors())
    assert with_head.low == weight_bytes(loaded(folder), Split(1, 1), 1, None).low


def test_shards_are_added_up_and_another_layout_is_not_counted_twice(folder: Path) -> None:
    every = tensors()
    names = list(every)
    first, second = names[:10], names[10:]
    size = write(folder / "a-1.safetensors", {name: every[name] for name in first})
    size += write(folder / "a-2.safetensors", {name: every[name] for name in second})
    write(folder / "consolidated.safetensors", every)
    index = {
        "metadata": {"total_size": size},
        "weight_map": {name: f"a-{1 + (name in second)}.safetensors" for name in names},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    found = read_checkpoint(str(folder))
    assert found is not None
    assert (found.total, found.files) == (size, 2)


def test_an_index_alone_scales_the_estimate(folder: Path) -> None:
    whole = sum(part.parameters * 2 for part in parts(loaded(folder), Split(1, 1)))
    index = {"metadata": {"total_size": int(whole * 1.2)}, "weight_map": {"a": "model-1.safetensors"}}
    plain = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    scaled = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    assert scaled.measured == "the total size that the index beside config.json states"
    assert scaled.value == pytest.approx(plain.value * 1.2, rel=0.001)
    assert scaled.low < scaled.value < scaled.high


HOSTILE: list[tuple[str, bytes]] = [
    ("empty", b""),
    ("a length beyond the file", struct.pack("<Q", 1 << 40) + b"{}"),
    ("no JSON", struct.pack("<Q", 4) + b"nope"),
    ("deep", struct.pack("<Q", 100_000) + b"[" * 100_000),
    ("a list", struct.pack("<Q", 2) + b"[]"),
    ("a tensor that is none", struct.pack("<Q", 7) + b'{"a":1}'),
    ("negative", b"%s"),
    ("a huge shape", b"%s"),
    ("another size", b"%s"),
    ("an unknown type", b"%s"),
]
ENTRIES = {
    "negative": {"dtype": "BF16", "shape": [-1], "data_offsets": [0, 2]},
    "a huge shape": {"dtype": "BF16", "shape": [1 << 60, 1 << 60], "data_offsets": [0, 2]},
    "another size": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 2]},
    "an unknown type": {"dtype": "Q3", "shape": [1], "data_offsets": [0, 2]},
}


@pytest.mark.parametrize(("case", "raw"), HOSTILE, ids=[case for case, _ in HOSTILE])
def test_damaged_files_are_told_and_estimated_instead(folder: Path, case: str, raw: bytes) -> None:
    if case in ENTRIES:
        header = json.dumps({"a": ENTRIES[case]}).encode()
        raw = struct.pack("<Q", len(header)) + header + b"\0\0"
    (folder / "model.safetensors").write_bytes(raw)
    with pytest.raises(Damaged, match=r"model\.safetensors"):
        read_checkpoint(str(folder))
    found = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    assert found.measured is None
    assert found.unread is not None and "model.safetensors" in found.unread
    assert found.value > BESIDE_BYTES[0]


@pytest.mark.parametrize("name", ["../outside.safetensors", "/etc/passwd", "a\\b.safetensors", "weights.bin"])
def test_an_index_reaches_no_file_outside_its_folder(folder: Path, name: str) -> None:
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(Damaged, match="outside its folder"):
        read_checkpoint(str(folder))


def test_a_pipe_is_not_opened(folder: Path) -> None:
    import os

    os.mkfifo(folder / "model.safetensors")
    with pytest.raises(Damaged, match="not a file"):
        read_checkpoint(str(folder))


def test_modelopt_states_its_format_in_a_file_of_its_own(folder: Path) -> None:
    stated = {"quantization": {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head"]}}
    (folder / "hf_quant_config.json").write_text(json.dumps(stated))
    assert loaded(folder).quantization == "modelopt_fp4"
    (folder / "hf_quant_config.json").write_text("[]")
    assert loaded(folder).quantization is None
    assert facts_from_config(CONFIG, "x").folder is None


def test_a_launch_of_a_local_folder_is_sized_by_its_checkpoint(folder: Path) -> None:
    write(folder / "model.safetensors", tensors())
    text = f"python -m sglang.launch_server --model-path {folder} --tp 2\n"
    sources = Sources(lambda path: Path(path).read_text() if Path(path).is_file() else None, names=lambda path: ())
    report = lint(Document("a.sh", text, "shell"), Settings(release="0.5.20", gpu="h100"), sources)
    facts = report.judged[0].facts
    assert facts is not None
    terms = {term.name: term for term in facts["memory.plan"].budget.terms}
    assert terms["weights"].formula == "tensors of the checkpoint"
    assert "headers of 1 file beside config.json" in terms["weights"].inputs
    assert str(folder) in sources.used


def test_a_tensor_that_says_nothing_of_its_sharding_widens_the_interval(folder: Path) -> None:
    write(folder / "model.safetensors", tensors())
    plain = weight_bytes(loaded(folder), Split(4, 4), 1, None)
    odd = {"model.layers.0.self_attn.mystery": ("BF16", (256, 256))}
    write(folder / "model.safetensors", tensors() | odd)
    wider = weight_bytes(loaded(folder), Split(4, 4), 1, None)
    assert wider.low - plain.low == 256 * 256 * 2 // 4
    assert wider.high - plain.high >= 256 * 256 * 2


def test_the_last_stage_of_a_pipeline_has_the_head_and_the_first_the_embeddings(folder: Path) -> None:
    model = loaded(folder)
    table = 1024 * 256 * 2
    one, two = (weight_bytes(model, Split(1, 1), pp, None).low for pp in (1, 2))
    assert two == (one - 2 * table) // 2 + table


def test_a_draft_on_disk_says_its_own_bytes(folder: Path) -> None:
    target = loaded(folder)
    draft = replace(target, num_hidden_layers=1)
    estimated = draft_bytes(replace(draft, folder=None), target, Split(2, 2))
    found = {"fc.weight": ("BF16", (256, 768)), "d2t": ("I64", (512,))}
    found |= {f"midlayer.self_attn.{name}.weight": ("BF16", shape) for name, shape in ATTENTION.items()}
    write(folder / "model.safetensors", found)
    read = draft_bytes(draft, target, Split(2, 2))
    attention = sum(math.prod(shape) for shape in ATTENTION.values())
    assert read.low == 256 * 768 * 2 + 512 * 8 + attention
    assert read.measured == "headers of 1 file beside config.json"
    assert estimated.measured is None


def test_weights_quantized_while_loading_are_not_as_on_disk(folder: Path) -> None:
    write(folder / "model.safetensors", tensors())
    stored = weight_bytes(loaded(folder), Split(1, 1), 1, None)
    online = weight_bytes(loaded(folder), Split(1, 1), 1, "fp8")
    assert online.measured is None
    assert online.low < 0.8 * stored.low
