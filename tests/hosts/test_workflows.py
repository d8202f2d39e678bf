"""What workflows of Argo and tasks of Tekton start, with the parameters that their controllers fill in.

There is no controller here to ask: what is expected is what the documentation of both says.
"""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

from .workflow_texts import ARGO, TEKTON


def launches(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("x.yaml", text, "yaml"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def words(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words]


def edited(text: str, number: int, *changes: Change) -> str:
    launch = launches(text)[number]
    return apply_edits(text, launch.editor.edits(launch, changes))


def defined(text: str, launch: Launch, at: int) -> list[str]:
    return [text[slice(*one.place.span)] for one in launch.words[at].defined_at]


# Argo ------------------------------------------------------------------------------------------------------


def test_arguments_of_the_one_task_that_calls_a_template_are_its_words() -> None:
    launch = launches(ARGO)[0]
    assert words(launch) == [
        "--model-path",
        "org/wren-7b",
        "--tp-size=4",
        "--mem-fraction-static",
        "0.9",
        "--attention-backend=triton",
        "--port=30000",
        "--random-seed",
        None,
        None,
    ]
    assert launch.words[9].known_prefix == "--log-level="
    assert not launch.words[8].many
    assert ARGO[slice(*launch.words[1].span)] == "{{inputs.parameters.model}}"
    assert defined(ARGO, launch, 1) == ["org/wren-7b"]
    assert defined(ARGO, launch, 2) == ["4"]
    assert ARGO[slice(*launch.words[2].span)] == "--tp-size={{ inputs.parameters.tp }}"


def test_the_release_is_that_of_the_parameter_and_edited_there() -> None:
    launch = launches(ARGO)[0]
    assert launch.release is not None
    assert launch.release.value == "0.5.18"
    assert edited(ARGO, 0, SetImageTag("v0.5.20")) == ARGO.replace("v0.5.18-cu129", "v0.5.20")


def test_a_template_that_two_tasks_call_has_no_certain_arguments() -> None:
    launch = launches(ARGO)[1]
    assert words(launch) == ["--model-path", "org/wren-7b", "--page-size", None, "--host", None]
    once = ARGO.replace(
        '            template: twice\n            arguments: {parameters: [{name: page, value: "64"}]}', ""
    )
    assert words(launches(once)[1])[2:] == ["--page-size", "1", "--host", "1"]
    never = once.replace('            arguments: {parameters: [{name: page, value: "1"}]}', "")
    assert words(launches(never)[1])[2:] == ["--page-size", "32", "--host", "32"]


def test_a_container_s_variables_hold_no_references() -> None:
    launch = launches(ARGO)[0]
    assert {one.name: one.value for one in launch.env} == {"PORT": "30000", "BACKEND": "triton", "SHARD": None}


@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"])
def test_templates_of_workflows_are_read_alike(kind: str) -> None:
    text = ARGO.replace("kind: Workflow", f"kind: {kind}")
    assert words(launches(text)[0]) == words(launches(ARGO)[0])


def test_a_cron_workflow_has_its_workflow_inside() -> None:
    head, _, spec = ARGO.partition("spec:\n")
    inside = "".join(f"  {line}\n" for line in spec.splitlines())
    text = head.replace("Workflow", "CronWorkflow") + 'spec:\n  schedule: "0 4 * * *"\n  workflowSpec:\n' + inside
    assert [words(one) for one in launches(text)] == [words(one) for one in launches(ARGO)]


STEPS = """\
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: x}
spec:
  entrypoint: main
  arguments: {parameters: [{name: name, value: m}]}
  templates:
    - name: main
      inputs: {parameters: [{name: name}]}
      steps:
        - - name: a
            inline:
              inputs: {parameters: [{name: model}, {name: tp, default: "8"}]}
              container:
                image: lmsysorg/sglang:v0.5.18
                command: [sh, -c]
                args: ['exec sglang serve --model-path {{inputs.parameters.model}} --tp {{inputs.parameters.tp}}']
            arguments: {parameters: [{name: model, value: "org/{{inputs.parameters.name}}"}]}
"""


def test_steps_inline_templates_and_the_entrypoint_s_arguments() -> None:
    (launch,) = launches(STEPS)
    assert words(launch) == ["--model-path", "org/m", "--tp", "8"]
    assert defined(STEPS, launch, 1) == ["org/{{inputs.parameters.name}}"]
    outer = STEPS.replace("{name: model}, {name: tp", "{name: tp")
    assert words(launches(outer.replace("model}} --tp", "name}} --tp"))[0])[1] == "m"
    both = STEPS.replace("parameters: [{name: name}]", "parameters: [{name: name}, {name: model, value: x}]")
    assert words(launches(both)[0])[1] is None


def test_arguments_that_lead_back_to_themselves_are_not_known() -> None:
    own = ARGO.replace('value: "{{workflow.parameters.model}}"', 'value: "{{inputs.parameters.model}}"')
    assert words(launches(own)[0])[1] is None
    circle = ARGO.replace("value: org/wren-7b", "value: 'x{{workflow.parameters.model}}'")
    assert words(launches(circle)[0])[1] is None


def test_parameters_that_double_each_other_end() -> None:
    names = "".join(
        f"      - {{name: p{n}, value: '{{{{workflow.parameters.p{n + 1}}}}}{{{{workflow.parameters.p{n + 1}}}}}'}}\n"
        for n in range(60)
    )
    text = ARGO.replace("value: org/wren-7b", "value: '{{workflow.parameters.p0}}'").replace(
        "      - name: given-at-submit\n", f"{names}      - {{name: p60, value: x}}\n"
    )
    assert words(launches(text)[0])[1] is None


def test_options_are_edited_and_values_that_are_filled_in_are_not() -> None:
    launch = launches(ARGO)[0]
    model, size, port = launch.words[:2], launch.words[2:3], launch.words[6:7]
    for option in (model, size):
        with pytest.raises(CannotEdit, match="change it where that is set"):
            edited(ARGO, 0, SetValue(option, "8"))
    assert edited(ARGO, 0, SetValue(port, "1")) == ARGO.replace("--port=$(PORT)", "--port=1")
    gone = "          - --tp-size={{ inputs.parameters.tp }}\n"
    assert edited(ARGO, 0, RemoveOption(size)) == ARGO.replace(gone, "")
    assert edited(ARGO, 0, RenameFlag(size[0], "--tp")) == ARGO.replace("--tp-size={{", "--tp={{")
    script = launches(ARGO)[1]
    with pytest.raises(CannotEdit, match="change it where that is set"):
        edited(ARGO, 1, SetValue(script.words[:2], "m"))
    assert edited(ARGO, 1, RemoveOption(script.words[2:4])) == ARGO.replace(
        " --page-size {{inputs.parameters.page}}", ""
    )
    added = edited(ARGO, 1, AddOption("--tp-size", "2"))
    assert words(launches(added)[1]) == [*words(script), "--tp-size", "2"]


# Tekton ----------------------------------------------------------------------------------------------------


def test_a_run_s_parameters_win_over_defaults() -> None:
    first, second = launches(TEKTON)
    assert words(first) == [
        "--model-path=org/wren-7b",
        "--page-size",
        "64",
        "--tp-size=4",
        "--port=30000",
        None,
        "--enable-metrics",
        "--log-level",
        "debug",
    ]
    assert first.words[5].known_prefix == "--random-seed="
    assert words(second)[:6] == ["--model-path", "org/wren-7b", "--log-level", "debug", "--port", "30000"]
    assert defined(TEKTON, first, 0) == ["org/wren-7b"]
    assert defined(TEKTON, first, 2) == ["64"]
    assert [TEKTON[slice(*word.span)] for word in first.words[6:]] == ["--enable-metrics", "--log-level", "debug"]
    used = first.words[6].used_at
    assert used is not None
    assert TEKTON[slice(*used.span)] == "$(params.extra[*])"


def test_a_task_alone_has_its_defaults_and_nothing_for_the_rest() -> None:
    text = (
        "apiVersion: tekton.dev/v1beta1\nkind: Task\nspec:\n"
        + TEKTON[TEKTON.index("          params:\n            - {name: page, d") :]
    )
    first = launches(text)[0]
    assert words(first)[:3] == [None, "--page-size", "1"]
    assert words(first)[6:] == ["--enable-metrics", "--log-level", "debug"]
    unknown = launches(text.replace("- name: extra\n", "- name: others\n"))[0]
    assert unknown.words[6].text is None
    assert unknown.words[6].many


def test_words_of_an_array_are_edited_in_the_array() -> None:
    first = launches(TEKTON)[0]
    gone = "                - --log-level\n                - debug\n"
    assert edited(TEKTON, 0, RemoveOption(first.words[7:9])) == TEKTON.replace(gone, "")
    assert edited(TEKTON, 0, SetValue(first.words[7:9], "info")) == TEKTON.replace("- debug", "- info")
    added = edited(TEKTON, 0, AddOption("--dp-size", "2"))
    assert added == TEKTON.replace("seed)\n", "seed)\n                - --dp-size=2\n")
    with pytest.raises(CannotEdit, match="params"):
        edited(TEKTON, 0, SetValue(first.words[1:3], "1"))


def test_a_matrix_gives_more_than_one_value() -> None:
    text = TEKTON.replace(
        'params:\n          - {name: page, value: "$(params.page)"}',
        'matrix:\n          params: [{name: page, value: ["1", "64"]}]',
    )
    assert words(launches(text)[0])[2] is None
