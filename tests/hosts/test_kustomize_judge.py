"""Overlays of bases in other folders: words, places and edits, held to what a real Kustomize builds."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from sglint import hosts
from sglint.launch.model import CannotEdit, Change, Launch, RemoveOption, SetImageTag, SetValue
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document, Edit, Sources, apply_edits

from .kustomize_texts import BASE, DEPLOYMENT, FOLDERS, patched
from .record_charts import BUILT
from .test_helm_judge import words_of

KEPT: dict[str, list[list[str]]] = json.loads(BUILT.read_text(encoding="utf-8"))
OVER = "over/kustomization.yaml"
ORDER_ONLY = "moved-and-copied"
"""Nothing of the launch is written in the overlay, which puts the base's words in another order."""


def read(files: Mapping[str, str], path: str = OVER) -> tuple[Launch, ...]:
    reading = hosts.read(Document(path, files[path], "yaml"), Sources(files.get))
    assert reading.problems == ()
    return reading.launches


def overlaid(files: Mapping[str, str]) -> list[Launch]:
    """The launches that the files of the overlay tell."""
    return [launch for path in files if path.startswith("over/") for launch in read(files, path)]


@pytest.mark.parametrize("name", FOLDERS)
def test_an_overlay_starts_what_kustomize_builds(name: str) -> None:
    built = [(image, words_of(argv)) for image, _, *argv in KEPT[name]]
    servers = [(image, words) for image, words in built if words is not None]
    told = [
        (launch.image.text if launch.image else None, [word.text for word in launch.words])
        for launch in overlaid(FOLDERS[name])
    ]
    assert told == ([] if name == ORDER_ONLY else servers)


def files_with(overlay: str) -> dict[str, str]:
    return {**BASE, OVER: overlay}


def test_words_stand_in_the_file_that_writes_them() -> None:
    files = FOLDERS["a-word-is-replaced"]
    (launch,) = read(files)
    assert [(word.text, word.path) for word in launch.words] == [
        ("--model-path=/m/a", "base/llm.yaml"),
        ("--tp-size", "base/llm.yaml"),
        ("4", None),
        ("--enable-metrics", "base/llm.yaml"),
        ("--disable-radix-cache", None),
    ]
    for word in launch.words:
        text = files[word.path or OVER]
        assert text[slice(*word.span)] == word.text
    assert launch.printed_by == "base/llm.yaml"
    assert launch.gpu is not None
    assert launch.gpu.place is not None
    assert (launch.gpu.value, launch.gpu.place.path) == ("h200", "base/llm.yaml")


def test_the_base_alone_is_judged_as_it_stands() -> None:
    (launch,) = read(FOLDERS["a-word-is-replaced"], "base/llm.yaml")
    assert [word.text for word in launch.words] == ["--model-path=/m/a", "--tp-size", "8", "--enable-metrics"]


def test_a_tag_of_an_overlay_is_its_release_and_edited_there() -> None:
    files = FOLDERS["another-tag"]
    (launch,) = read(files)
    assert launch.release is not None
    assert (launch.release.value, launch.release.source) == ("0.5.20", "kustomize images")
    assert changed(files, SetImageTag("v0.5.21")) == {**files, OVER: files[OVER].replace("v0.5.20", "v0.5.21")}


def changed(files: Mapping[str, str], *changes: Change) -> dict[str, str]:
    (launch,) = read(files)
    by_path: dict[str, list[Edit]] = {}
    for edit in launch.editor.edits(launch, changes):
        by_path.setdefault(edit.path or OVER, []).append(edit)
    return {path: apply_edits(text, by_path.get(path, [])) for path, text in files.items()}


def test_words_of_the_overlay_are_edited_and_those_of_the_base_are_left_alone() -> None:
    files = FOLDERS["a-word-is-replaced"]
    (launch,) = read(files)
    with pytest.raises(CannotEdit, match="on which others may build"):
        launch.editor.edits(launch, [RemoveOption(launch.words[3:4])])
    merged = FOLDERS["merged-by-name"]
    (launch,) = read(merged)
    after = changed(merged, RemoveOption(launch.words[1:2]))
    assert after == {**merged, OVER: merged[OVER].replace(", --tp-size=4", "")}
    after = changed(merged, SetValue(launch.words[1:2], "2"))
    assert after == {**merged, OVER: merged[OVER].replace("--tp-size=4", "--tp-size=2")}


def test_comments_of_the_base_hold_for_its_overlays() -> None:
    noted = DEPLOYMENT.replace(
        "        - name: server", "        # sglint: model=Qwen/Qwen3-8B gpu=h200x8\n        - name: server"
    )
    (launch,) = read({**FOLDERS["another-tag"], "base/llm.yaml": noted})
    assert launch.directives.model is not None
    assert launch.directives.model.value == "Qwen/Qwen3-8B"
    assert launch.directives.model.place is not None
    assert launch.directives.model.place.path == "base/llm.yaml"


CONFLICT = DEPLOYMENT.replace("--model-path=/m/a", "--model-path=openai/gpt-oss-120b").replace(
    "            - --enable-metrics\n",
    "            - --enable-unified-memory\n            - --speculative-algorithm=NGRAM\n",
)


def test_an_overlay_s_fault_is_shown_in_the_overlay_and_names_the_base() -> None:
    files = {
        **BASE,
        "base/llm.yaml": DEPLOYMENT.replace("--model-path=/m/a", "--model-path=openai/gpt-oss-120b"),
        OVER: patched("- op: add\n  path: /spec/template/spec/containers/0/args/-\n  value: --enable-no-such-thing\n"),
    }
    base = lint(Document("base/llm.yaml", files["base/llm.yaml"], "yaml"), Settings(), Sources(files.get))
    over = lint(Document(OVER, files[OVER], "yaml"), Settings(), Sources(files.get))
    assert [finding for finding in base.findings if finding.severity == "error"] == []
    errors = [finding for finding in over.findings if finding.severity == "error"]
    assert [finding.path for finding in errors] == [OVER]
    assert files[OVER][slice(*errors[0].span)] == "--enable-no-such-thing"


def test_a_fault_that_only_the_overlay_s_release_has_is_shown_at_the_tag() -> None:
    files = {
        **FOLDERS["another-tag"],
        "base/llm.yaml": DEPLOYMENT.replace("--enable-metrics", "--cuda-graph-max-bs=8"),
    }
    over = lint(Document(OVER, files[OVER], "yaml"), Settings(), Sources(files.get))
    base = lint(Document("base/llm.yaml", files["base/llm.yaml"], "yaml"), Settings(), Sources(files.get))
    assert [finding for finding in base.findings if finding.severity == "error"] == []
    (error,) = [finding for finding in over.findings if finding.severity == "error"]
    assert (error.path, files[OVER][slice(*error.span)]) == (OVER, "v0.5.20")
    assert [related.place.path for related in error.related][:1] == ["base/llm.yaml"]


@pytest.mark.parametrize(
    "operations",
    [
        "- op: replace\n  path: /spec/none/x\n  value: 1\n",
        "- op: remove\n  path: /spec/template/spec/containers/7\n",
        "- op: add\n  path: /spec/template/spec/containers/0/args/99\n  value: x\n",
        "- op: frobnicate\n  path: /spec\n",
        "- {}\n",
    ],
)
def test_a_patch_that_fails_changes_nothing(operations: str) -> None:
    assert read(files_with(patched(operations))) == ()


def test_endless_folders_and_large_resources_end() -> None:
    files = {
        OVER: "resources: [../over, ../b]\nimages: [{name: a, newTag: b}]\n",
        "b/kustomization.yaml": "resources: [../over]\n",
    }
    assert read(files) == ()
    many = DEPLOYMENT + "".join(f"        - name: c{number}\n          image: x\n" for number in range(2000))
    assert len(read({**FOLDERS["another-tag"], "base/llm.yaml": many})) == 1
