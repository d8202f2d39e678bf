"""Speculative decoding on the unified hybrid-SWA pool: five situations, the same in every notation."""

from __future__ import annotations

import pytest

from sglint.lint import fix_text, lint
from sglint.rules.findings import Finding, Report
from sglint.settings import Settings
from sglint.text import Document, Sources

from .texts import ALGORITHM, DRAFT_DIRECTIVE, NOTATIONS, UNIFIED, flags, helm_values

SITUATIONS = {
    "seed": ("0.5.18", flags(), "SGL101", UNIFIED),
    "any-algorithm": ("0.5.17", flags("EAGLE3"), "SGL102", ALGORITHM),
    "algorithm": ("0.5.18", flags("EAGLE"), "SGL102", ALGORITHM),
    "backend": ("0.5.18", flags(triton=False), "SGL105", UNIFIED),
    "works": ("0.5.21", flags(), None, None),
}


def document(notation: str, words: list[str], release: str) -> Document:
    write, path, language = NOTATIONS[notation]
    return Document(path, write(words, release), language)


def underlined(report: Report, finding: Finding) -> str:
    return report.document.text[finding.span.start : finding.span.end]


def errors(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity == "error"]


@pytest.fixture(params=NOTATIONS)
def notation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_first_refusal_is_the_verdict(notation: str, situation: str) -> None:
    release, words, code, place = SITUATIONS[situation]
    report = lint(document(notation, words, release), Settings(), fixes=False)
    (judged,) = report.judged
    assert judged.release.value == release
    assert judged.verdict.code == code
    assert judged.verdict.status == ("accepted" if code is None else "refused")
    assert judged.verdict.needs == ()
    struck = [finding for finding in errors(report) if finding.behind is None]
    assert [(finding.code, underlined(report, finding)) for finding in struck] == ([(code, place)] if code else [])


def test_the_seed_is_one_error_with_the_algorithm_beside_it(notation: str) -> None:
    report = lint(document(notation, flags(), "0.5.18"), Settings(), fixes=False)
    (error,) = errors(report)
    assert (error.code, underlined(report, error)) == ("SGL101", UNIFIED)
    (related,) = error.related
    assert report.document.text[related.place.span.start : related.place.span.end] == ALGORITHM
    assert error.check == "UM-SEED"
    assert "args.enable_unified_memory" in error.decided_by


def test_explained_with_the_allocators_numbers(notation: str) -> None:
    report = lint(document(notation, flags(), "0.5.18"), Settings(), fixes=False)
    (error,) = errors(report)
    assert "openai/gpt-oss-120b" in error.message
    told = "\n".join(error.arithmetic)
    assert "The unified arena holds" in told
    assert "1.80 x" in told
    assert "rows" in told and "past its end" in told
    assert "Covering every id takes" in told


def test_every_fix_offered_was_tried_and_clears_the_error(notation: str) -> None:
    text = document(notation, flags(), "0.5.18")
    report = lint(text, Settings())
    (error,) = errors(report)
    applicable = [fix for fix in error.fixes if fix.edits]
    titles = " / ".join(fix.title for fix in error.fixes)
    assert "unified pool" in titles
    assert "speculative decoding" in titles
    assert all(fix.verified for fix in applicable)
    for fix in applicable:
        fixed = "".join(text.text[end:start] + new for end, start, new in _pieces(text.text, fix.edits))
        after = lint(Document(text.path, fixed, text.language), Settings(), fixes=False)
        assert errors(after) == [], fix.title
        assert after.judged[0].verdict.status == "accepted"


def _pieces(text: str, edits: tuple) -> list[tuple[int, int, str]]:  # type: ignore[type-arg]
    """(end of the edit before, start of this one, new text), closed by the rest of the text."""
    done, pieces = 0, []
    for edit in sorted(edits):
        pieces.append((done, edit.span.start, edit.text))
        done = edit.span.end
    return [*pieces, (done, len(text), "")]


def test_fixes_say_what_they_do_to_the_pools() -> None:
    (error,) = errors(lint(document("deployment", flags(), "0.5.18"), Settings()))
    drop = next(fix for fix in error.fixes if "speculative decoding" in fix.title)
    assert drop.effect is not None
    for tokens in ("full_tokens", "swa_tokens"):
        assert drop.effect[tokens]["before"] < drop.effect[tokens]["after"]
    assert drop.effect["basis"]


def test_moving_the_release_edits_only_the_tag() -> None:
    text = document("deployment", flags(), "0.5.18")
    (error,) = errors(lint(text, Settings()))
    move = next(fix for fix in error.fixes if "0.5.20" in fix.title)
    (edit,) = move.edits
    assert text.text[edit.span.start : edit.span.end] + " -> " + edit.text == "v0.5.18-cu129 -> v0.5.20-cu129"


def test_a_release_from_a_comment_cannot_be_moved_by_us() -> None:
    (error,) = errors(lint(document("script", flags(), "0.5.18"), Settings()))
    moves = [fix for fix in error.fixes if fix.safety == "display-only"]
    assert moves
    assert all(fix.reason and not fix.edits for fix in moves)


def test_unknown_model_is_asked_for_and_never_an_error(notation: str) -> None:
    text = document(notation, flags(model="$(MODEL)" if notation != "script" else "$MODEL"), "0.5.18")
    report = lint(text, Settings())
    assert errors(report) == []
    assert report.judged[0].verdict.status == "unknown"
    (undecided,) = [finding for finding in report.findings if finding.code == "SGL010"]
    assert undecided.severity == "info"
    assert "SGL101" in undecided.message
    assert any("# sglint: model=" in need for need in undecided.needs)


def test_named_in_a_comment_the_model_decides(notation: str) -> None:
    text = document(notation, flags(model="$(MODEL)" if notation != "script" else "$MODEL"), "0.5.18")
    named = text.text.replace("# sglint: ", "# sglint: model=openai/gpt-oss-120b ")
    report = lint(Document(text.path, named, text.language), Settings(), fixes=False)
    assert [finding.code for finding in errors(report)] == ["SGL101"]


def test_unsafe_fixing_ends_with_a_launch_that_starts(notation: str) -> None:
    text = document(notation, flags("EAGLE", triton=False), "0.5.18")
    fixed, applied = fix_text(text, Settings(), unsafe=True)
    assert applied
    after = lint(Document(text.path, fixed, text.language), Settings(), fixes=False)
    assert after.judged[0].verdict.status == "accepted"
    assert fix_text(Document(text.path, fixed, text.language), Settings(), unsafe=True) == (fixed, ())


def test_safe_fixing_leaves_behaviour_alone(notation: str) -> None:
    text = document(notation, flags(), "0.5.18")
    assert fix_text(text, Settings()) == (text.text, ())


def fixes_of(text: str, code: str) -> list[str]:
    report = lint(Document("chat.sh", text, "shell"), Settings())
    return [fix.title for finding in report.findings if finding.code == code for fix in finding.fixes]


class TestMovingToAnotherRelease:
    """On Blackwell no release takes DSPARK on the backend it would choose; on Hopper 0.5.22 does."""

    IMAGE = "docker run lmsysorg/sglang:v0.5.18 python3 -m sglang.launch_server"

    def fixes(self, gpu: str) -> list[str]:
        words = " ".join(flags(triton=False))
        return fixes_of(f"# sglint: file draft=draft-dspark-qwen3 gpu={gpu}\n{self.IMAGE} {words}\n", "SGL105")

    def test_backend_and_release_together_where_neither_alone_is_enough(self) -> None:
        moves = [title for title in self.fixes("b200") if "ove to" in title]
        assert len(moves) == 1
        assert moves[0].startswith("Use the triton attention backend and move")
        assert moves[0].endswith("(SGLang 0.5.20)")

    def test_the_release_alone_where_it_is_enough(self) -> None:
        moves = [title for title in self.fixes("h200") if "ove to" in title]
        assert [title.rpartition("(")[2] for title in moves] == ["SGLang 0.5.22)", "SGLang 0.5.23)"]
        assert not any("triton" in title for title in moves)


def test_a_chart_tells_the_same_of_its_template_and_of_its_values() -> None:
    """The words stand in values.yaml and are printed by a template; either file may be the one that is open."""
    release, words, code, place = SITUATIONS["seed"]
    values = helm_values(words, release)
    template = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: chat}\nspec:\n"
        "  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}\n  containers:\n    - name: server\n"
        '      image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"\n'
        f"      {DRAFT_DIRECTIVE}\n"
        "      command: [python3, -m, sglang.launch_server]\n      args:\n"
        "        {{- range .Values.extraArgs }}\n        - {{ . }}\n        {{- end }}\n"
    )
    files = {"chart/Chart.yaml": "name: chat\n", "chart/values.yaml": values, "chart/templates/pod.yaml": template}

    def names(folder: str) -> list[str]:
        return [path.rpartition("/")[2] for path in files if path.rpartition("/")[0] == folder]

    for path in ("chart/templates/pod.yaml", "chart/values.yaml"):
        sources = Sources(files.get, names=names)
        report = lint(Document(path, files[path], "yaml"), Settings(), sources, fixes=False)
        (error,) = errors(report)
        assert error.code == code
        text = files[error.path]
        assert error.path == "chart/values.yaml"
        assert text[error.span.start : error.span.end] == place
