"""Documents to reports: where inputs come from, what comments and settings hide, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sglint import catalogue
from sglint.lint import engine, lint
from sglint.rules.findings import Finding, Report
from sglint.settings import Settings, parse
from sglint.text import Document, Sources

from .texts import NOTATIONS, deployment, flags

SEED = deployment(flags(), "0.5.18")
PLAIN = "python -m sglang.launch_server --model-path openai/gpt-oss-120b"


CONFIG = {
    "architectures": ["GptOssForCausalLM"],
    "model_type": "gpt_oss",
    "num_hidden_layers": 4,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "sliding_window": 128,
    "hidden_size": 64,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}


def shell(text: str, settings: Settings | None = None, sources: Sources | None = None) -> Report:
    return lint(Document("start.sh", text, "shell"), settings or Settings(), sources, fixes=False)


def manifest(text: str, settings: Settings | None = None) -> Report:
    return lint(Document("deploy/chat.yaml", text, "yaml"), settings or Settings(), fixes=False)


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def one(report: Report, code: str) -> Finding:
    (finding,) = [finding for finding in report.findings if finding.code == code]
    return finding


def test_a_file_without_a_launch_has_nothing_to_say() -> None:
    report = manifest("apiVersion: v1\nkind: Service\n")
    assert (report.judged, report.findings) == ((), ())


class TestRelease:
    def test_without_evidence_the_newest_known_release_is_assumed_and_said(self) -> None:
        (judged,) = shell(PLAIN).judged
        assert (judged.release.value, judged.release.source) == (catalogue.releases()[-1], "newest known")

    def test_what_only_an_assumed_release_refuses_is_a_warning_that_asks_for_the_release(self) -> None:
        report = shell(f"{PLAIN} --cuda-graph-max-bs 8")
        finding = one(report, "SGL037")
        assert finding.severity == "warning"
        assert any("# sglint: release=" in need for need in finding.needs)
        assert one(shell(f"{PLAIN} --cuda-graph-max-bs 8", Settings(release="0.5.23")), "SGL037").severity == "error"

    def test_what_every_release_refuses_is_an_error_under_an_assumed_one(self) -> None:
        assert one(shell(f"{PLAIN} --mem-fractoin-static 0.8"), "SGL020").severity == "error"

    def test_a_setting_says_more_than_an_assumption(self) -> None:
        (judged,) = shell(PLAIN, Settings(release="0.5.17")).judged
        assert (judged.release.value, judged.release.source) == ("0.5.17", "setting")

    def test_the_file_says_more_than_a_setting(self) -> None:
        (judged,) = manifest(SEED, Settings(release="0.5.17")).judged
        assert (judged.release.value, judged.release.source) == ("0.5.18", "image tag")

    def test_a_comment_says_more_than_the_image(self) -> None:
        (judged,) = manifest(SEED.replace("# sglint: ", "# sglint: release=0.5.21 ")).judged
        assert (judged.release.value, judged.release.source) == ("0.5.21", "directive")

    def test_what_the_command_line_asks_for_wins_over_the_file(self) -> None:
        """``sglint check --release R`` asks what R would make of files that are written for another release."""
        asked = Settings(release="0.5.21", gpu="b200", origins=dict.fromkeys(("release", "gpu"), "command line"))
        (judged,) = manifest(SEED, asked).judged
        assert (judged.release.value, judged.release.source) == ("0.5.21", "command line")
        assert judged.gpu is not None
        assert (judged.gpu.value, judged.gpu.source) == ("b200", "command line")

    def test_a_release_the_catalogue_lacks_is_read_by_a_neighbour_and_that_is_said(self) -> None:
        report = manifest(SEED.replace("v0.5.18-cu129", "v0.5.99-cu129"))
        finding = one(report, "SGL013")
        assert report.judged[0].parsed.release == catalogue.releases()[-1]
        assert "0.5.99 is not in the catalogue" in finding.message


class TestModel:
    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "config.json"
        file.write_text(json.dumps(CONFIG))
        return file

    def test_known_models_come_from_the_registry(self) -> None:
        (judged,) = shell(PLAIN).judged
        assert judged.model is not None
        assert (judged.model.value, judged.model_facts) == ("openai/gpt-oss-120b", "registry")
        assert "hybrid-swa" in judged.traits

    def test_settings_map_a_name_to_a_configuration(self, tmp_path: Path) -> None:
        self.write(tmp_path / "mine")
        settings = parse('[models]\n"acme/mine" = "mine"\n', str(tmp_path / "sglint.toml"))
        (judged,) = shell(PLAIN.replace("openai/gpt-oss-120b", "acme/mine"), settings).judged
        assert judged.model is not None
        assert (judged.model.value, judged.model_facts) == ("acme/mine", "file")
        assert "hybrid-swa" in judged.traits

    def test_a_given_configuration_keeps_the_name_on_the_command_line(self, tmp_path: Path) -> None:
        settings = Settings(model_config=str(self.write(tmp_path / "mine")))
        (judged,) = shell(PLAIN.replace("openai/gpt-oss-120b", "acme/other"), settings).judged
        assert judged.facts is not None
        assert judged.facts.look("model.name") == "acme/other"

    def test_a_local_path_is_seen_from_the_file_through_the_sources(self, tmp_path: Path) -> None:
        self.write(tmp_path / "mine")
        document = Document(str(tmp_path / "start.sh"), PLAIN.replace("openai/gpt-oss-120b", "./mine"), "shell")
        sources = Sources(lambda path: Path(path).read_text() if Path(path).is_file() else None)
        report = lint(document, Settings(), sources)
        assert report.judged[0].model_facts == "file"
        assert str(tmp_path / "mine" / "config.json") in report.used_paths

    def test_a_configuration_that_cannot_be_read_is_a_finding(self, tmp_path: Path) -> None:
        report = shell(PLAIN, Settings(model_config=str(tmp_path / "nothing.json")))
        assert one(report, "SGL015").severity == "error"
        assert "nothing.json" in one(report, "SGL015").message

    def test_a_setting_names_the_model_that_a_variable_hides(self) -> None:
        (judged,) = shell(
            PLAIN.replace("openai/gpt-oss-120b", '"$MODEL"'), Settings(model="openai/gpt-oss-120b")
        ).judged
        assert judged.model is not None
        assert (judged.model.value, judged.model.source) == ("openai/gpt-oss-120b", "setting")


class TestHardware:
    def test_gpu_and_count_from_the_settings(self) -> None:
        (judged,) = shell(PLAIN, Settings(gpu="b200", gpu_count=8)).judged
        assert judged.gpu is not None
        assert judged.gpu_count is not None
        assert (judged.gpu.value, judged.gpu_count.value) == ("b200", 8)
        assert judged.resolved["attention_backend"] == "trtllm_mha"

    def test_the_file_says_more_than_the_settings(self) -> None:
        (judged,) = manifest(SEED, Settings(gpu="b200")).judged
        assert judged.gpu is not None
        assert judged.gpu.value == "h200"

    def test_a_gpu_nobody_knows_is_a_warning(self) -> None:
        report = shell(f"# sglint: gpu=h9000\n{PLAIN}")
        assert one(report, "SGL014").severity == "warning"


class TestCommandLine:
    @pytest.mark.parametrize(
        ("words", "code", "place"),
        [
            ("--mem-fractoin-static 0.8", "SGL020", "--mem-fractoin-static"),
            ("--tp-size=eight", "SGL023", "eight"),
            ("--attention-backend tritn", "SGL022", "tritn"),
            ("--tp-size", "SGL024", "--tp-size"),
            ("--enable-metrics true", "SGL025", "true"),
        ],
    )
    def test_what_the_parser_refuses_is_underlined(self, words: str, code: str, place: str) -> None:
        report = shell(f"{PLAIN} {words}", Settings(release="0.5.18"))
        finding = one(report, code)
        assert report.document.text[finding.span.start : finding.span.end] == place
        assert (report.judged[0].verdict.status, report.judged[0].verdict.stage) == ("refused", "parse")
        assert report.judged[0].verdict.code == code

    def test_a_word_that_may_be_missing_is_no_error(self) -> None:
        text = f'ARGS=(--tp-size 1)\nif [ -n "$DEBUG" ]; then ARGS+=(--no-such-flag); fi\n{PLAIN} "${{ARGS[@]}}"'
        report = shell(text, Settings(release="0.5.18"))
        finding = one(report, "SGL020")
        assert finding.severity == "warning"
        assert report.judged[0].verdict.status == "unknown"

    def test_a_launcher_with_flags_of_its_own_may_have_them(self) -> None:
        text = "python -m sglang_router.launch_server --model-path openai/gpt-oss-120b --router-policy cache_aware"
        assert "SGL020" not in codes(shell(text))


class TestComments:
    IGNORE = "# sglint: ignore[SGL101] known"

    def test_an_ignore_hides_its_code_at_its_launch(self) -> None:
        report = manifest(SEED.replace("# sglint: draft", "# sglint: file ignore[SGL101]\n          # sglint: draft"))
        assert codes(report).count("SGL101") == 0
        assert "SGL011" not in codes(report)
        assert report.judged[0].verdict.code == "SGL101"

    def test_on_the_line_above_a_shell_launch(self) -> None:
        text = f"# sglint: ignore[SGL020] ours\n{PLAIN} --our-flag\n{PLAIN} --our-flag\n"
        assert codes(shell(text)).count("SGL020") == 1

    def test_an_ignore_that_hides_nothing_is_a_hint_at_its_place(self) -> None:
        report = shell(f"{self.IGNORE}\n{PLAIN}\n")
        finding = one(report, "SGL011")
        assert finding.severity == "hint"
        assert report.document.text[finding.span.start : finding.span.end] == "ignore[SGL101]"

    def test_an_ignore_of_one_code_leaves_the_others(self) -> None:
        report = shell(f"{self.IGNORE}\n{PLAIN} --our-flag\n")
        assert {"SGL011", "SGL020"} <= set(codes(report))


class TestSettings:
    def test_ignored_and_unselected_codes_are_left_out(self) -> None:
        assert "SGL101" not in codes(manifest(SEED, Settings(ignore=("SGL1",))))
        assert codes(manifest(SEED, Settings(select=("SGL101",)))) == ["SGL101"]
        assert "SGL101" not in codes(manifest(SEED, Settings(per_file_ignores={"deploy/*": ("SGL101",)})))

    def test_a_severity_is_overridden_and_the_verdict_is_not(self) -> None:
        report = manifest(SEED, Settings(severity={"SGL101": "warning"}))
        assert one(report, "SGL101").severity == "warning"
        assert report.judged[0].verdict.status == "refused"


class TestFailures:
    def test_a_launch_that_cannot_be_judged_costs_one_finding_and_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        judge_launch = engine.judge_launch

        def fails_once(launch: object, number: int, *rest: object) -> object:
            if "8001" in [word.text for word in launch.words]:  # type: ignore[attr-defined]
                raise LookupError("nothing there")
            return judge_launch(launch, number, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(engine, "judge_launch", fails_once)
        report = shell(f"{PLAIN} --port 8001\n{PLAIN} --port 8002 --our-flag\n")
        assert len(report.judged) == 1
        assert one(report, "SGL020").launch == 0
        failure = one(report, "SGL000")
        assert "LookupError: nothing there" in failure.message
        assert "report it" in failure.message

    @pytest.mark.parametrize("notation", NOTATIONS)
    def test_text_cut_anywhere_is_no_bug(self, notation: str) -> None:
        write, path, language = NOTATIONS[notation]
        text = write(flags(), "0.5.18")
        for end in range(0, len(text), 7):
            report = lint(Document(path, text[:end], language), Settings(), fixes=False)
            assert "SGL000" not in codes(report), text[:end]


def test_a_remark_on_what_launches_share_is_told_once() -> None:
    text = (
        "prefill_environment: &env\n  SGLANG_ENABLE_SPEC_V2: '1'\ndecode_environment: *env\n"
        "sglang_config:\n  prefill: {model-path: m, disaggregation-mode: prefill, tp-size: 2}\n"
        "  decode: {model-path: m, disaggregation-mode: decode, tp-size: 2}\n"
    )
    report = lint(Document("recipe.yaml", text, "yaml"), Settings(release="0.5.18"), Sources.none())
    assert len(report.judged) == 2
    assert [finding.code for finding in report.findings].count("SGL040") == 1
