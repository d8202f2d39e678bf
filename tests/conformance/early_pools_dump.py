"""Ask releases before 0.5.15 how many tokens they make of a byte budget, and keep what they answer.

    python tests/conformance/early_pools_dump.py [--release R ...] > answers.jsonl
    xz -9 < answers.jsonl > tests/conformance/pools_early.jsonl.xz

Needs a prepared oracle (``ORACLE_HOME``, see shared/oracle) with these releases. The release's own parser, argument
resolution, model configuration and sizing run; weights, process groups and free memory are given. The pools
themselves are not built: sizing ends where the pool of request slots is made.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from early_pools_cases import RELEASES, cases
from parser_dump import ORACLE, _oracle


class _Sized(Exception):
    """Sizing is done: the release asks for its pool of request slots."""


def _prepared() -> Any:
    """The oracle, told that what 0.5.1 and 0.5.2 list as extras of a server is required, as later releases say."""
    oracle = _oracle()
    read = oracle.release_metadata
    extras = re.compile(r'; extra == "(runtime-common|srt)"')
    oracle.release_metadata = lambda version: extras.sub("", read(version))
    return oracle


def _patched(modules: list[Any], name: str, value: Any) -> None:
    for module in modules:
        if hasattr(module, name):
            setattr(module, name, value)


def _layers(text: Any) -> list[Any]:
    """Decoder layers of a loaded model, as far as old sizing asks them for their windows."""
    kinds = getattr(text, "layer_types", None) or ["full_attention"] * text.num_hidden_layers
    window = getattr(text, "sliding_window", None) or -1
    return [
        SimpleNamespace(
            layer_id=number,
            self_attn=SimpleNamespace(
                attn=SimpleNamespace(sliding_window_size=window - 1 if kind == "sliding_attention" else -1)
            ),
        )
        for number, kind in enumerate(kinds)
    ]


def _runner(args: Any, config: Any, sizes: dict[str, int], pools: Any) -> Any:
    from sglang.srt.configs.model_config import AttentionArch
    from sglang.srt.distributed.utils import get_pp_indices
    from sglang.srt.model_executor.model_runner import ModelRunner
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    runner = object.__new__(ModelRunner)
    runner.server_args, runner.model_config = args, config
    runner.device, runner.gpu_id = "cuda", 0
    runner.tp_size, runner.pp_size, runner.tp_rank, runner.pp_rank = sizes["tp_size"], sizes["pp_size"], 0, 0
    runner.dp_size = args.dp_size if args.enable_dp_attention else 1
    runner.moe_ep_size = sizes["moe_ep_size"]
    runner.mem_fraction_static, runner.page_size = args.mem_fraction_static, args.page_size
    runner.is_draft_worker, runner.req_to_token_pool, runner.token_to_kv_pool_allocator = False, None, None
    runner.spec_algorithm = SpeculativeAlgorithm.from_string(args.speculative_algorithm)
    runner.use_mla_backend = config.attention_arch == AttentionArch.MLA
    runner.attention_chunk_size = config.attention_chunk_size
    runner.is_multimodal, runner.is_generation = config.is_multimodal, config.is_generation
    runner.dtype = config.dtype
    for name in ("is_hybrid", "is_hybrid_swa", "is_hybrid_swa_compress"):
        if hasattr(config, name):
            setattr(runner, name, getattr(config, name))
    runner.model = SimpleNamespace(model=SimpleNamespace(layers=_layers(config.hf_text_config)), quant_config=None)
    runner.sliding_window_size = pools.window_of(_with_hybrid(config))
    if not hasattr(config, "full_attention_layer_ids"):
        # The constructor of 0.5.7 sets it, to nothing for a model without kinds of layers.
        config.full_attention_layer_ids = []
    layers = max(config.num_hidden_layers, getattr(config, "num_attention_layers", 0) or 0)
    runner.start_layer, runner.end_layer = get_pp_indices(layers, 0, sizes["pp_size"])
    runner.num_effective_layers = runner.end_layer - runner.start_layer
    runner.enable_hisparse, runner.dflash_draft_num_layers = False, None
    runner.memory_pool_config = None
    _hybrid_by_window(runner, args, config)
    _no_state(ModelRunner)
    return runner


def _with_hybrid(config: Any) -> Any:
    if not hasattr(config, "is_hybrid_swa"):
        config.is_hybrid_swa = False
    return config


def _no_state(runner_class: type) -> None:
    """These models keep no recurrent state; the properties that say so read configurations not given here."""
    for name in ("is_hybrid_gdn", "mambaish_config", "mamba2_config", "hybrid_gdn_config"):
        if isinstance(getattr(runner_class, name, None), property):
            setattr(runner_class, name, None)


def _hybrid_by_window(runner: Any, args: Any, config: Any) -> None:
    """Through 0.5.6 the constructor itself decides, after loading, from the window that the model reports."""
    source = inspect.getsource(type(runner).initialize)
    for name in ("is_hybrid_swa", "is_hybrid"):
        if f"self.{name} = self.model_config.{name} = True" not in source:
            continue
        window = runner.sliding_window_size
        reports = _reports_a_window(config.hf_config.architectures[0]) or config.attention_chunk_size is not None
        splits = not args.disable_hybrid_swa_memory and reports and window is not None and window > 0
        if splits and not any("Llama4" in arch for arch in config.hf_config.architectures):
            setattr(runner, name, True)
            setattr(config, name, True)
        return


def _model_files(architecture: str) -> list[str]:
    """Texts of the release's files that define a class for the architecture."""
    folder = Path(sys.modules["sglang.srt"].__path__[0], "models")
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.py")]
    return [text for text in texts if f"class {architecture}(" in text]


def _reports_a_window(architecture: str) -> bool:
    """Whether the release's class for the architecture has the method that the constructor asks for a window."""
    return any("def get_attention_sliding_window_size" in text for text in _model_files(architecture))


def _size(case: dict[str, Any], oracle: Any, pools: Any) -> dict[str, Any]:
    import torch

    work = tempfile.mkdtemp(prefix="early-")
    os.chdir(work)
    stage = {"now": "parse", "sub": None}
    args = oracle.run_server_args(case, oracle.expand_argv(case, work), stage)
    sizes = pools.sizes_of(lambda name, default=None: getattr(args, name, default))
    pools.install_parallel(sizes)
    from sglang.srt import server_args as server_args_module
    from sglang.srt.configs.model_config import ModelConfig

    publish = getattr(server_args_module, "set_global_server_args_for_scheduler", None)
    if publish is not None:
        publish(args)
    config = ModelConfig.from_server_args(args)
    if not _model_files(config.hf_config.architectures[0]):
        raise LookupError("the release has no class for this model")
    runner = _runner(args, config, sizes, pools)
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("sglang.srt") and module]
    _patched(modules, "get_available_gpu_memory", lambda *_, **__: case["rest_bytes"] / (1 << 30))
    torch.distributed.all_reduce = lambda *_, **__: None
    told: dict[str, Any] = {}

    def slots(*_: Any, size: int, **__: Any) -> None:
        told["requests"] = size
        raise _Sized

    _patched(modules, "ReqToTokenPool", slots)
    _patched(modules, "DecodeReqToTokenPool", slots)
    if hasattr(runner, "configure_kv_cache_dtype"):
        runner.configure_kv_cache_dtype()
    if hasattr(runner, "_resolve_memory_pool_config"):
        found = runner._resolve_memory_pool_config(0)
        numbers = {
            "max_total_num_tokens": found.max_total_num_tokens,
            "full_tokens": found.full_max_total_num_tokens,
            "swa_tokens": found.swa_max_total_num_tokens,
            "max_running_requests": found.max_running_requests,
        }
    else:
        numbers = _sized_in_place(runner, args, told)
    numbers["kv_dtype"] = str(runner.kv_cache_dtype).removeprefix("torch.")
    numbers["page_size"] = args.page_size
    numbers["context_length"] = config.context_len
    numbers["hybrid_swa"] = bool(getattr(runner, "is_hybrid_swa", getattr(runner, "is_hybrid", False)))
    numbers["mem_fraction_static"] = args.mem_fraction_static
    return numbers


def _sized_in_place(runner: Any, args: Any, told: dict[str, Any]) -> dict[str, Any]:
    """Through 0.5.9 one method sizes and builds; the scheduler then divides requests (``TpModelWorker``)."""
    given = {
        "total_gpu_memory": 0,
        "pre_model_load_memory": 0,
        "server_args": args,
        "max_num_reqs": args.max_running_requests,
        "max_total_tokens": args.max_total_tokens,
    }
    wanted = inspect.signature(runner.init_memory_pool).parameters
    with contextlib.suppress(_Sized):
        runner.init_memory_pool(**{name: value for name, value in given.items() if name in wanted})
    copies = args.dp_size if args.enable_dp_attention else 1
    asked = args.max_running_requests
    share = runner.max_total_num_tokens // 2 if asked is None else asked // copies
    return {
        "max_total_num_tokens": runner.max_total_num_tokens,
        "full_tokens": getattr(runner, "full_max_total_num_tokens", None),
        "swa_tokens": getattr(runner, "swa_max_total_num_tokens", None),
        "max_running_requests": min(share, told["requests"]),
    }


def _without_kernels() -> None:
    """Shapes are registered for operators that the absent kernel package would define; here there are none."""
    import torch

    real = torch.library.register_fake

    def register_fake(name: Any, *rest: Any, **options: Any) -> Any:
        made = real(name, *rest, **options)

        def register(function: Any) -> Any:
            try:
                return made(function)
            except RuntimeError:
                return function

        return register if callable(made) else made

    torch.library.register_fake = register_fake
    if not hasattr(torch._C._cpu, "_is_amx_tile_supported"):
        torch._C._cpu._is_amx_tile_supported = lambda: False
    from transformers.utils import import_utils

    if hasattr(import_utils, "PACKAGE_DISTRIBUTION_MAPPING"):
        import_utils.PACKAGE_DISTRIBUTION_MAPPING.setdefault("flash_attn", ["flash-attn-4"])


def _inside(release: str, gpu: str) -> None:
    sys.path.insert(0, str(ORACLE.parent))
    oracle = _prepared()
    oracle.install_stubs(release)
    oracle.install_fake_gpu(gpu, 8)
    import oracle_pools as pools

    _without_kernels()
    importlib.import_module("sglang.srt.model_executor.model_runner")

    for case in cases(release):
        if case["gpu"] != gpu:
            continue
        read, write = os.pipe()
        child = os.fork()
        if not child:
            try:
                answer: dict[str, Any] = {"verdict": "accept", **_size(case, oracle, pools)}
            except BaseException as error:
                answer = {"verdict": "reject", "exception": type(error).__name__, "message_head": str(error)[:60]}
            os.write(write, json.dumps(answer).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as told:
            print("\n" + json.dumps({**case, **json.loads(told.read() or '{"verdict": "died"}')}), flush=True)
        os.waitpid(child, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", action="append")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        _inside(*asked.inside)
        return
    for release in asked.release or RELEASES:
        for gpu in dict.fromkeys(case["gpu"] for case in cases(release)):
            python, env = _prepared().release_env(release, {})
            command = [python, __file__, "--inside", release, gpu]
            done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
            if done.returncode:
                print(done.stderr[-3000:], file=sys.stderr)
                raise SystemExit(1)
            print("\n".join(line for line in done.stdout.splitlines() if line.startswith('{"version"')))


if __name__ == "__main__":
    main()
