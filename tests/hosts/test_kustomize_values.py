"""Values that a kustomization generates and puts into manifests: where they are told, written and edited.

What they come to is held to a real Kustomize in ``test_kustomize_judge.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sglint import hosts
from sglint.launch.model import CannotEdit, Change, Launch, RemoveOption, SetImageTag, SetValue
from sglint.text import Document, Edit, Sources, apply_edits

from .kustomize_texts import FOLDERS, GENERATORS, REPLACEMENTS, SERVED, SERVER, SETTINGS

OVER = "over/kustomization.yaml"
ARGUMENT = "spec.template.spec.containers.0.args"
ONE = {
    "llm.yaml": SERVER,
    "kustomization.yaml": GENERATORS.replace("../base", "llm.yaml"),
    "settings.env": SETTINGS,
    "start.sh": "sglang serve --model-path m\n",
}


def launches(files: Mapping[str, str], path: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document(path, files[path], "yaml"), Sources(files.get))
    assert reading.problems == ()
    return reading.launches


def only(files: Mapping[str, str], path: str) -> Launch:
    (launch,) = launches(files, path)
    return launch


def words(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words]


def written(files: Mapping[str, str], path: str, launch: Launch, at: int) -> list[tuple[str, str]]:
    """Where a word's variables are defined: file and text."""
    places = [one.place for one in launch.words[at].defined_at]
    return [(place.path or path, files[place.path or path][slice(*place.span)]) for place in places]


def changed(files: Mapping[str, str], path: str, launch: Launch, *changes: Change) -> dict[str, str]:
    by_path: dict[str, list[Edit]] = {}
    for edit in launch.editor.edits(launch, changes):
        by_path.setdefault(edit.path or path, []).append(edit)
    return {name: apply_edits(text, by_path.get(name, [])) for name, text in files.items()}


BUILT = ["--model-path=org/wren-7b", "--tp-size", "4", "--port=30000", "--host", "0.0.0.0", "--log-level=PLACEHOLDER"]


def test_a_resource_of_the_same_folder_has_the_generated_variables() -> None:
    launch = only(ONE, "llm.yaml")
    assert words(launch) == BUILT
    assert written(ONE, "llm.yaml", launch, 0) == [("kustomization.yaml", "org/wren-7b")]
    assert written(ONE, "llm.yaml", launch, 2) == [("settings.env", "4")]
    assert written(ONE, "llm.yaml", launch, 3) == [("kustomization.yaml", "30000")]
    assert SERVER[slice(*launch.words[0].span)] == "--model-path=$(MODEL)"
    env = {one.name: one.value for one in launch.env}
    assert env["EMPTY"] == ""
    assert env["QUOTED"] == "'a'"
    assert env["X_port"] == "30000"
    assert launches(ONE, "kustomization.yaml") == ()
    after = changed(ONE, "llm.yaml", launch, RemoveOption(launch.words[1:3]))
    assert after == {**ONE, "llm.yaml": SERVER.replace("--tp-size, $(TP), ", "")}


def test_a_script_s_shell_reads_them_too() -> None:
    script = SERVER.replace("command: [python3, -m, sglang.launch_server]", "command: [bash, -c]")
    start, end = script.index("          args:"), script.index("          envFrom:")
    files = {
        **ONE,
        "llm.yaml": script[:start] + "          args: ['sglang serve --model-path $MODEL --tp $TP']\n" + script[end:],
    }
    launch = only(files, "llm.yaml")
    assert words(launch) == ["--model-path", "org/wren-7b", "--tp", "4"]
    assert written(files, "llm.yaml", launch, 1) == [("kustomization.yaml", "org/wren-7b")]


def test_what_a_secret_holds_is_not_read() -> None:
    secret = ONE["kustomization.yaml"].replace(
        "configMapGenerator:\n  - name: settings", "secretGenerator:\n  - name: settings"
    )
    secret = secret.replace("  - name: more", "configMapGenerator:\n  - name: more")
    files = {
        **ONE,
        "kustomization.yaml": secret,
        "llm.yaml": SERVER.replace("configMapRef: {name: settings}", "secretRef: {name: settings}"),
    }
    launch = only(files, "llm.yaml")
    assert words(launch)[:4] == [None, "--tp-size", None, "--port=30000"]
    assert {one.name: one.value for one in launch.env}["MODEL"] is None


@pytest.mark.parametrize("name", [name for name in FOLDERS if FOLDERS[name].get("base/llm.yaml") == SERVER])
def test_an_overlay_tells_what_it_changes_and_the_base_what_it_has(name: str) -> None:
    files = FOLDERS[name]
    assert len(launches(files, OVER)) == 1
    base = only(files, "base/llm.yaml")
    assert words(base)[1:] != words(only(files, OVER))[1:]
    own = files["base/kustomization.yaml"]
    assert (words(base)[2] is not None) == ("Generator" in own or "settings.yaml" in own)


def test_a_word_that_is_put_in_stands_at_its_place_and_is_defined_where_it_is_written() -> None:
    files = FOLDERS["texts-of-generated-maps-are-put-in"]
    launch = only(files, OVER)
    assert [word.path for word in launch.words] == ["base/llm.yaml"] * 7
    assert written(files, OVER, launch, 0) == [(OVER, "org/wren-7b")]
    assert written(files, OVER, launch, 6) == [(OVER, "debug")]
    assert launch.release is not None
    assert launch.release.value == "0.5.20"
    with pytest.raises(CannotEdit, match=r"puts `ConfigMap/settings data\.MODEL` in here"):
        launch.editor.edits(launch, [SetValue(launch.words[:1], "m")])
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [SetImageTag("v0.5.21")])


@pytest.mark.parametrize(
    "change",
    [
        ("fieldPath: data.MODEL", "fieldPath: data.NONE"),
        ("name: settings, fieldPath", "name: none, fieldPath"),
        ("index: 1}\n      - select: {kind: Deployment}", "index: x}\n      - select: {kind: Deployment}"),
        ("args.0", "args.77"),
        ("args.0", "none.0"),
        ("spec.template", "spec..template"),
        ("select: {kind: Deployment, name: llm}", "select: [a]"),
    ],
)
def test_a_replacement_that_fails_or_finds_nothing_changes_nothing(change: tuple[str, str]) -> None:
    text = GENERATORS + REPLACEMENTS.partition("  - source: {kind: ConfigMap, name: more")[0].replace(*change)
    files = {**SERVED, OVER: text.replace('MODEL="org/wren-7b"', "OTHER=1\n      - MODEL=org/wren-7b")}
    assert words(only(files, OVER)) == BUILT


@pytest.mark.parametrize(
    "text",
    [
        "configMapGenerator: 3\n",
        "configMapGenerator: [{name: settings, envs: [none.env], files: [none.sh, '=', a=]}]\n",
        "configMapGenerator: [{name: settings, literals: ['=x', y, {a: b}]}]\n",
        "configMapGenerator: [{name: settings, env: kustomization.yaml, behavior: other}]\n",
        "replacements: [{path: kustomization.yaml}, {path: none.yaml}, {source: 1, targets: 2}, 7]\n",
        "replacements: [{sourceValue: x, targets: [{select: {kind: Deployment}, fieldPaths: ['*.*.*.*.*.*.*']}]}]\n",
        "vars: [{name: TP}, {name: TP, objref: {kind: Deployment}, fieldref: {fieldpath: spec}}, 1]\n",
    ],
)
def test_nonsense_is_passed_over(text: str) -> None:
    files = {**ONE, "kustomization.yaml": f"resources: [llm.yaml]\n{text}"}
    assert len(launches(files, "llm.yaml")) + len(launches(files, "kustomization.yaml")) == 1


def test_variables_that_name_each_other_and_texts_that_double_end() -> None:
    doubling = "".join(
        f"  - source: {{kind: Deployment, name: llm, fieldPath: spec.template.spec.containers.0.args.{n % 2}}}\n"
        "    targets: [{select: {kind: Deployment}, options: {delimiter: '=', index: 99},"
        f" fieldPaths: [spec.template.spec.containers.0.args.{(n + 1) % 2}]}}]\n"
        for n in range(60)
    )
    variables = "".join(
        f"  - {{name: V{n}, objref: {{kind: Deployment}}, fieldref: {{fieldpath: {ARGUMENT}.0}}}}\n" for n in range(60)
    )
    files = {**ONE, "kustomization.yaml": f"resources: [llm.yaml]\nreplacements:\n{doubling}vars:\n{variables}"}
    assert len(launches(files, "llm.yaml")) == 1
