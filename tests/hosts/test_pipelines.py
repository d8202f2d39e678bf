"""What pipelines of GitHub and GitLab and playbooks of Ansible start, with the values their files give.

Nothing here runs such a pipeline: what is expected is what the documentation of each says.
"""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

from .workflow_texts import GITHUB, GITLAB, PLAYBOOK


def launches(text: str, name: str = "x.yaml") -> tuple[Launch, ...]:
    reading = hosts.read(Document(name, text, "yaml"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def only(text: str) -> Launch:
    (launch,) = launches(text)
    return launch


def options(launch: Launch) -> dict[str, str | None]:
    """Values by flag."""
    found: dict[str, str | None] = {}
    flag = ""
    for word in launch.words:
        name, equals, _ = word.known_prefix.partition("=")
        if name.startswith("--"):
            flag = name
            found[flag] = (word.text.partition("=")[2] if word.text else None) if equals else ""
        elif flag:
            found[flag] = word.text
            flag = ""
    return found


def edited(text: str, *changes: Change, number: int = 0) -> str:
    launch = launches(text)[number]
    return apply_edits(text, launch.editor.edits(launch, changes))


def words_of(launch: Launch, flag: str) -> tuple[int, int]:
    at = next(index for index, word in enumerate(launch.words) if word.known_prefix.startswith(flag))
    return at, at + (1 if "=" in launch.words[at].known_prefix else 2)


# GitHub ----------------------------------------------------------------------------------------------------


def test_a_step_s_expressions_and_variables_have_the_nearest_values() -> None:
    launch = only(GITHUB)
    assert options(launch) == {
        "--model-path": "org/wren-7b",
        "--tp-size": "4",
        "--mem-fraction-static": "0.9",
        "--port": "30000",
        "--host": "0.0.0.0",
        "--attention-backend": "triton",
        "--page-size": None,
        "--random-seed": None,
        "--log-level": None,
        "--served-model-name": "org/wren-7b",
    }
    assert launch.words[-1].text is None
    assert launch.words[-1].known_prefix == ""
    assert launch.release is not None
    assert launch.release.value == "0.5.18"
    where = {one.name: GITHUB[slice(*one.place.span)] for one in launch.env if one.place is not None}
    assert where == {
        "HOST": "0.0.0.0",
        "TP": "4",
        "FRACTION": "0.90",
        "WHICH": "${{ env.TP }}-${{ matrix.backend }}",
        "PORT": "30000",
        "MODEL": "org/wren-7b",
        "LOG": "${{ secrets.LOG }}",
    }
    assert {one.name: one.value for one in launch.env}["LOG"] is None


def test_a_value_knows_where_it_is_written() -> None:
    launch = only(GITHUB)
    at, _ = words_of(launch, "--tp-size")
    assert GITHUB[slice(*launch.words[at + 1].span)] == "${{ env.TP }}"
    (definition,) = launch.words[at + 1].defined_at
    assert definition.name == "TP"
    assert definition.place.span.start == GITHUB.index('"4"') + 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("inputs.model", "org/wren-7b"),
        ("inputs['model']", "org/wren-7b"),
        ("inputs.none || 'a''b'", "a'b"),
        ("inputs.extra || vars.X || 'last'", "last"),
        ("env.NONE || 7", "7"),
        ("env.WHICH", None),
        ("inputs.extra", None),
        ("inputs.tag || 'v1'", None),
        ("secrets.X || 'v1'", None),
        ("matrix.page || 1", None),
        ("inputs.model == 'x' && 'a' || 'b'", None),
        ("format('{0}', inputs.model)", None),
        ("github.sha", None),
        ("vars.X", None),
        ("", None),
        ("'", None),
    ],
)
def test_expressions_are_known_or_not(expression: str, value: str | None) -> None:
    text = GITHUB.replace("${{ env.TP }} \\\n", f'"${{{{ {expression} }}}}" \\\n')
    if expression == "inputs.none || 'a''b'":
        text = text.replace("      tag: {", "      none: {type: string}\n      tag: {")
    assert options(only(text))["--tp-size"] == value


def test_a_variable_that_a_step_sets_is_not_known_behind_it() -> None:
    text = GITHUB.replace('echo "SEED=7"', 'echo "TP=8"')
    assert options(only(text))["--tp-size"] is None


@pytest.mark.parametrize(
    ("matrix", "value"),
    [
        ("{page: [64]}", "64"),
        ("{page: [{n: 64}]}", None),
        ("{page: [64], include: [{page: 1}]}", None),
        ("{include: [{page: 64, x: 1}]}", "64"),
        ("{include: [{page: 64}, {x: 1}]}", None),
        ("{page: [64], include: [{x: 1}]}", "64"),
        ("{page: [64], exclude: [{page: 64}]}", "64"),
        ("'${{ fromJSON(needs.a.outputs.b) }}'", None),
        ("{page: '${{ fromJSON(x) }}'}", None),
        ("{page: []}", None),
    ],
)
def test_a_matrix_with_one_value_says_it(matrix: str, value: str | None) -> None:
    written = "strategy:\n      matrix:\n        backend: [triton]\n        page: [1, 64]\n"
    assert options(only(GITHUB.replace(written, f"strategy: {{matrix: {matrix}}}\n")))["--page-size"] == value


def test_inputs_of_reusable_workflows_and_actions() -> None:
    called = GITHUB.replace("workflow_dispatch", "workflow_call")
    assert options(only(called))["--model-path"] == "org/wren-7b"
    both = GITHUB.replace("env:\n", "  workflow_call: {inputs: {model: {default: other}}}\nenv:\n", 1)
    assert options(only(both))["--model-path"] is None
    action = (
        "name: serve\ninputs:\n  tp: {default: '2'}\nruns:\n  using: composite\n  steps:\n    - shell: bash\n"
        "      env: {PORT: 1}\n      run: sglang serve --model-path m --tp-size ${{ inputs.tp }} --port $PORT\n"
    )
    assert options(only(action)) == {"--model-path": "m", "--tp-size": "2", "--port": "1"}


def test_edits_of_steps() -> None:
    launch = only(GITHUB)
    for flag, reason in (("--tp-size", "env.TP"), ("--port", "where the variable is set"), ("--page-size", "matrix")):
        with pytest.raises(CannotEdit, match=reason):
            edited(GITHUB, SetValue(launch.words[slice(*words_of(launch, flag))], "1"))
    gone = edited(GITHUB, RemoveOption(launch.words[slice(*words_of(launch, "--page-size"))]))
    assert gone == GITHUB.replace(" --page-size ${{ matrix.page }}", "")
    added = edited(GITHUB, AddOption("--dp-size", "2"))
    assert added == GITHUB.replace("${{ inputs.extra }}", "${{ inputs.extra }} \\\n            --dp-size 2")


# GitLab ----------------------------------------------------------------------------------------------------


def test_a_job_s_script_reads_its_variables() -> None:
    first, second = launches(GITLAB, ".gitlab-ci.yml")
    assert options(first) == {
        "--model-path": "org/wren-7b",
        "--tp-size": "2",
        "--port": "30000",
        "--page-size": "64",
        "--host": "0.0.0.0",
        "--attention-backend": None,
        "--served-model-name": "wren-2",
        "--log-level": None,
    }
    assert options(second) == {"--model-path": "org/wren-7b", "--tp-size": "2"}
    assert first.release is not None
    assert (first.release.value, first.release.source) == ("0.5.18", "image tag")
    assert GITLAB[slice(*first.words[1].span)] == "$MODEL"
    assert [GITLAB[slice(*one.place.span)] for one in first.words[1].defined_at] == ["org/wren-7b"]
    assert GITLAB[slice(*second.words[2].span)] == "--tp-size"


def test_a_job_that_others_extend_with_other_values_is_not_certain_of_its_own() -> None:
    text = GITLAB.replace(
        ".base:\n", ".base:\n  script:\n    - sglang serve --model-path m --page-size $PAGE --port $PORT\n"
    )
    assert options(launches(text)[0]) == {"--model-path": "m", "--page-size": None, "--port": "30000"}
    ruled = GITLAB.replace("  extends: .base\n", "  extends: .base\n  rules: [{if: $A, variables: {PORT: '1'}}]\n")
    assert options(launches(ruled)[0])["--port"] is None


def test_jobs_that_extend_each_other_and_variables_that_name_each_other_end() -> None:
    circle = GITLAB.replace(".base:\n", ".base:\n  extends: [serve, .base]\n").replace("ORG: wren", "ORG: $NAME")
    assert options(launches(circle)[0])["--served-model-name"] is None
    doubling = "".join(f"  D{n}: $D{n + 1}$D{n + 1}\n" for n in range(60))
    text = GITLAB.replace("  ORG: wren\n", f"  ORG: $D0\n{doubling}  D60: x\n")
    assert options(launches(text)[0])["--served-model-name"] is None


LINES = """\
.setup: &setup
  - pip list
  - &start sglang serve --model-path m --tp-size 2
steps:
  - image: lmsysorg/sglang:v0.5.18
    commands:
      - *setup
      - "sglang serve --model-path \\u0061 --tp-size 4"
      - |
        sglang serve \\
          --model-path b
      - >-
        sglang serve
        --model-path c
"""


def test_lines_of_any_pipeline_are_one_script() -> None:
    assert [options(one)["--model-path"] for one in launches(LINES)] == ["m", "a", "b", "c"]
    changed = edited(LINES, SetValue(launches(LINES)[1].words[2:4], "8"), number=1)
    assert changed == LINES.replace("--tp-size 4", "--tp-size 8")
    added = edited(LINES, AddOption("--dp-size", "2"), number=2)
    assert added == LINES.replace("--model-path b", "--model-path b \\\n          --dp-size 2")
    gone = edited(LINES, RemoveOption(launches(LINES)[3].words), number=3)
    assert gone == LINES.replace("sglang serve\n        --model-path c", "sglang serve")
    for change in (SetValue(launches(LINES)[0].words[2:4], "8"), RemoveOption(launches(LINES)[0].words[2:4])):
        with pytest.raises(CannotEdit, match="alias"):
            edited(LINES, change)


@pytest.mark.parametrize("key", ["script", "commands", "before_script"])
def test_a_list_of_arguments_is_no_script(key: str) -> None:
    assert launches(f"{key}: [sglang, serve, --model-path, m]\n") == ()
    assert len(launches(f"{key}: [echo, sglang serve --model-path m]\n")) == 1


def test_a_line_is_set_up_by_the_lines_before_it() -> None:
    text = (
        "job:\n  before_script: [export TP=4]\n  script:\n    - cd x\n    - sglang serve --model-path m --tp-size $TP\n"
    )
    assert options(only(text))["--tp-size"] == "4"
    own = text.replace("[export TP=4]", "[sglang serve --model-path m --tp-size 1 &]")
    assert [options(one)["--tp-size"] for one in launches(own)] == ["1", None]


# Ansible ---------------------------------------------------------------------------------------------------


def test_variables_of_a_play_and_a_task() -> None:
    launch = only(PLAYBOOK)
    assert options(launch) == {
        "--model-path": "org/wren-7b",
        "--tp-size": "4",
        "--port": "30000",
        "--page-size": "64",
        "--random-seed": None,
        "--host": None,
        "--log-level": None,
    }
    at, end = words_of(launch, "--tp-size")
    assert [PLAYBOOK[slice(*one.place.span)] for one in launch.words[at + 1].defined_at] == ["4"]
    with pytest.raises(CannotEdit, match="change it where that is set"):
        edited(PLAYBOOK, SetValue(launch.words[at:end], "8"))
    assert edited(PLAYBOOK, RemoveOption(launch.words[at:end])) == PLAYBOOK.replace(" --tp-size {{ tp }}", "")


@pytest.mark.parametrize(
    "change",
    [
        ("register: seed", "register: model"),
        ("  tasks:\n", "  vars_prompt: [{name: model}]\n  tasks:\n"),
        ("    - name: start", "    - set_fact:\n        model: x\n    - name: start"),
        ("{tp: 4}", "{tp: 4, model: '{{ lookup(1) }}'}"),
        ("{tp: 4}", "{tp: 4, model: '{{ model }}'}"),
        ("{tp: 4}", "{tp: 4, model: [a]}"),
    ],
)
def test_a_variable_that_something_else_sets_is_not_known(change: tuple[str, str]) -> None:
    assert options(only(PLAYBOOK.replace(*change)))["--model-path"] is None


def test_an_image_tag_of_a_pipeline_is_edited_where_it_stands() -> None:
    assert edited(GITLAB, SetImageTag("v0.5.20")) == GITLAB.replace("v0.5.18", "v0.5.20")


def test_an_image_from_a_variable_is_edited_where_the_variable_is_set() -> None:
    text = GITLAB.replace('"lmsysorg/sglang:v0.5.18"', '"lmsysorg/sglang:$TAG"').replace(
        "  ORG: wren", "  ORG: wren\n  TAG: v0.5.17"
    )
    launch = launches(text)[0]
    assert launch.release is not None
    assert launch.release.value == "0.5.17"
    assert edited(text, SetImageTag("v0.5.20")) == text.replace("v0.5.17", "v0.5.20")
