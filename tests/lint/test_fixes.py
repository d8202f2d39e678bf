"""Fixes are tried before they are offered: what makes one unfit, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sglint import catalogue, rules
from sglint.hosts import edit_shell
from sglint.launch.model import CannotEdit, Launch
from sglint.lint import fix_text, lint
from sglint.lint.changes import option_changes, release_change, tokens_of, without, words_after
from sglint.lint.launches import parse_words
from sglint.rules.findings import Fix
from sglint.rules.model import FixTemplate
from sglint.rules.places import Places
from sglint.settings import Settings
from sglint.text import Document, Edit, apply_edits
from tests.rules.making import rule, rule_set

SCRIPT = "python -m sglang.launch_server --model-path openai/gpt-oss-120b --enable-metrics --tp-size 2 --port 8000\n"
SETTINGS = Settings(release="0.5.18", gpu="h200")
METRICS = rule("SGL901", "args.enable_metrics", at='["--enable-metrics"]', severity="warning")
PORT = rule("SGL902", "args.port == 9000", order=20)
UNSURE = rule("SGL903", "args.port == 9000 and model.mla", order=30, at='["--port"]')


def fix(body: str, *, title: str = "Try", safety: str = "safe") -> str:
    return f'\n[[fix]]\ntitle = "{title}"\nsafety = "{safety}"\n{body}\n'


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replace the shipped rules by the given ones."""

    def replaced(*texts: str) -> None:
        made = rule_set(*texts)
        monkeypatch.setattr(rules, "load", lambda: made)

    return replaced


def offered(text: str = SCRIPT, code: str = "SGL901", settings: Settings = SETTINGS) -> tuple[Fix, ...]:
    report = lint(Document("start.sh", text, "shell"), settings)
    (finding,) = [finding for finding in report.findings if finding.code == code]
    return finding.fixes


def replace_editors(monkeypatch: pytest.MonkeyPatch, edits: Callable[..., tuple[Edit, ...]]) -> None:
    editors = [value for value in vars(edit_shell).values() if isinstance(value, type) and "edits" in vars(value)]
    assert editors
    for editor in editors:
        monkeypatch.setattr(editor, "edits", edits)


def applied(text: str, one: Fix) -> str:
    return apply_edits(text, one.edits)


def test_a_fix_that_clears_the_finding_is_offered_as_verified(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('remove = ["--enable-metrics"]'))
    (one,) = offered()
    assert one.verified
    assert applied(SCRIPT, one) == SCRIPT.replace(" --enable-metrics", "")


def test_a_fix_that_leaves_the_finding_is_not_offered(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('set = { "--port" = "8001" }'))
    assert offered() == ()


def test_a_fix_that_brings_a_new_error_is_not_offered(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('remove = ["--enable-metrics"]\nset = { "--port" = "9000" }'), PORT)
    assert offered() == ()


def test_a_fix_that_makes_an_undecided_error_certain_is_not_offered(with_rules: Callable[..., None]) -> None:
    body = 'remove = ["--enable-metrics"]\nset = { "--model-path" = "deepseek-ai/DeepSeek-V3" }'
    with_rules(METRICS + fix(body), rule("SGL903", "model.mla", at='["--model-path"]'))
    text = SCRIPT.replace("openai/gpt-oss-120b", "$MODEL")
    assert "SGL010" in [finding.code for finding in lint(Document("a.sh", text, "shell"), SETTINGS).findings]
    assert [one for one in offered(text) if one.edits] == []


def test_a_fix_that_is_done_already_is_not_offered(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('set = { "--port" = "8000" }') + fix('remove = ["--enable-lora"]'))
    assert offered() == ()


def test_a_fix_holds_only_under_its_condition(with_rules: Callable[..., None]) -> None:
    remove = 'remove = ["--enable-metrics"]\nwhen = "args.tp_size == {}"'
    with_rules(METRICS + fix(remove.format(4), title="No") + fix(remove.format(2), title="Yes"))
    assert [one.title for one in offered()] == ["Yes"]


def test_two_ways_to_the_same_text_are_one_fix(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('remove = ["--enable-metrics"]') + fix('remove_matching = ["--enable-*"]', title="Again"))
    assert [one.title for one in offered()] == ["Try"]


def test_what_cannot_be_edited_is_shown_with_the_reason(
    with_rules: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(self: Any, launch: Launch, changes: Sequence[Any]) -> tuple[Edit, ...]:
        raise CannotEdit("the words are made elsewhere")

    replace_editors(monkeypatch, refuses)
    with_rules(METRICS + fix('remove = ["--enable-metrics"]'))
    (one,) = offered()
    assert (one.safety, one.reason, one.edits) == ("display-only", "the words are made elsewhere", ())


def test_a_remark_only_fix_carries_its_reason(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('reason = "the router decides"', title="Ask the router", safety="display-only"))
    (one,) = offered()
    assert (one.safety, one.reason, one.edits, one.verified) == ("display-only", "the router decides", (), False)


def test_an_editor_that_touches_another_option_is_caught(
    with_rules: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def clumsy(self: Any, launch: Launch, changes: Sequence[Any]) -> tuple[Edit, ...]:
        start = SCRIPT.index(" --enable-metrics")
        return (Edit(launch.span._replace(start=start, end=SCRIPT.index(" --port")), ""),)

    replace_editors(monkeypatch, clumsy)
    with_rules(METRICS + fix('remove = ["--enable-metrics"]'))
    assert offered() == ()


def test_other_launches_of_the_file_keep_their_words(with_rules: Callable[..., None]) -> None:
    with_rules(METRICS + fix('remove = ["--enable-metrics"]'))
    text = SCRIPT + SCRIPT.replace("--enable-metrics ", "").replace("8000", "8001")
    (one,) = offered(text)
    assert applied(text, one) == text.replace(" --enable-metrics", "")


class TestRelease:
    MANIFEST = (
        "kind: Pod\nspec:\n  containers:\n    - image: lmsysorg/sglang:{tag}\n"
        "      command: [python3, -m, sglang.launch_server]\n"
        "      args: [--model-path, openai/gpt-oss-120b, --enable-metrics]\n"
    )

    def fixes(self, tag: str) -> tuple[Fix, ...]:
        report = lint(Document("pod.yaml", self.MANIFEST.format(tag=tag), "yaml"), Settings(gpu="h200"))
        (finding,) = [finding for finding in report.findings if finding.code == "SGL901"]
        return finding.fixes

    @pytest.mark.parametrize(
        ("which", "tag", "moved"),
        [
            ("lowest-clean", "v0.5.18-cu129", "v0.5.20-cu129"),
            ("lowest-clean", "v0.5.17", "v0.5.20"),
            ("newest-clean", "v0.5.18-rocm700-mi35x", "v0.5.22-rocm700-mi35x"),
        ],
    )
    def test_the_tag_keeps_what_is_not_the_release(
        self, with_rules: Callable[..., None], which: str, tag: str, moved: str
    ) -> None:
        ill = rule("SGL901", "args.enable_metrics", releases="<0.5.20")
        later = rule("SGL902", "args.enable_metrics", releases=">=0.5.23", stage="runtime")
        with_rules(ill + fix(f'release = "{which}"', title="Move to {target}"), later)
        (one,) = self.fixes(tag)
        assert applied(self.MANIFEST.format(tag=tag), one) == self.MANIFEST.format(tag=moved)
        assert moved.lstrip("v").split("-")[0] in one.title

    def test_no_release_that_works_is_no_fix(self, with_rules: Callable[..., None]) -> None:
        with_rules(rule("SGL901", "args.enable_metrics") + fix('release = "lowest-clean"'))
        assert self.fixes("v0.5.18") == ()


class TestFixText:
    def test_safe_fixes_to_the_end(self) -> None:
        text = SCRIPT.replace("--tp-size", "--tensor-parallel").replace("--port", "--por")
        fixed, done = fix_text(Document("start.sh", text, "shell"), SETTINGS)
        assert "--tensor-parallel-size 2" in fixed
        assert "--port 8000" in fixed
        assert len(done) == 2
        assert fix_text(Document("start.sh", fixed, "shell"), SETTINGS) == (fixed, ())

    def test_fixes_that_undo_each_other_come_to_an_end(self, with_rules: Callable[..., None]) -> None:
        there = rule("SGL901", "args.enable_metrics", severity="warning") + fix('remove = ["--enable-metrics"]')
        gone = rule("SGL902", "not args.enable_metrics", severity="warning") + fix(
            'set = { "--enable-metrics" = true }'
        )
        with_rules(there, gone)
        fixed, done = fix_text(Document("start.sh", SCRIPT, "shell"), SETTINGS)
        assert fixed.count("--enable-metrics") <= 1
        assert len(done) <= 2


class TestChanges:
    def launch(self) -> Launch:
        return lint(Document("start.sh", SCRIPT, "shell"), SETTINGS, fixes=False).judged[0].launch

    def test_words_after_removal_and_setting(self) -> None:
        launch = self.launch()
        parsed = parse_words(launch, "0.5.18")
        places = Places(launch, parsed, catalogue.load("0.5.18"), "start.sh")
        template = FixTemplate(
            "t",
            "safe",
            remove=("--enable-metrics",),
            set={"--tensor-parallel-size": "4", "--attention-backend": "triton", "--enable-lora": True},
        )
        changes = option_changes(template, parsed, places, lambda name: None)
        kept, added = words_after(launch, changes)
        assert kept == ["--model-path", "openai/gpt-oss-120b", "--tp-size", "4", "--port", "8000"]
        assert added == [["--attention-backend", "triton"], ["--enable-lora"]]
        assert tokens_of(launch)[2] == "--enable-metrics"

    def test_without_takes_each_piece_once_and_says_when_one_is_missing(self) -> None:
        assert without(["a", "b", "a", "b"], [["a", "b"]]) == ["a", "b"]
        assert without(["a", "b"], [["a", "b"], ["c"]]) is None

    def test_a_tag_without_the_release_is_not_edited(self) -> None:
        launch = self.launch()
        with pytest.raises(CannotEdit, match="no image tag"):
            release_change(launch, "0.5.18", "0.5.20")
