"""Charts: what their templates print, what is certain about it, and edits in the file that has the text."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, Reading, RemoveOption, SetImageTag, SetValue
from sglint.text import Document, Edit, Sources, apply_edits

TEMPLATE = "chart/templates/pod.yaml"
VALUES = "chart/values.yaml"
HELPERS = "chart/templates/_helpers.tpl"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: {{ .Release.Name }}}
spec:
  nodeSelector:
    {{- toYaml .Values.nodeSelector | nindent 4 }}
  containers:
    - name: server
      image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
      command: ["python3", "-m", "sglang.launch_server"]
      args:
        - --model-path={{ .Values.model }}
        - --enable-metrics
        {{- if .Values.spec }}
        - --speculative-algorithm=EAGLE
        {{- end }}
        {{- toYaml .Values.extraArgs | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
"""
CHART_VALUES = """\
image: {repository: lmsysorg/sglang, tag: v0.5.18-cu129}
model: openai/gpt-oss-120b
spec: true
nodeSelector:
  nvidia.com/gpu.product: NVIDIA-H200
extraArgs:
  - --tp-size
  - "2"   # two cards
  - --enable-unified-memory
resources:
  limits:
    nvidia.com/gpu: 2
"""
FILES = {"chart/Chart.yaml": "name: chart\nappVersion: v0.5.20\n", TEMPLATE: POD, VALUES: CHART_VALUES}


def read(files: Mapping[str, str], path: str = TEMPLATE) -> Reading:
    return hosts.read(Document(path, files[path], "yaml"), Sources(files.get))


def launch_of(files: Mapping[str, str]) -> Launch:
    reading = read(files)
    assert reading.problems == ()
    (launch,) = reading.launches
    return launch


def words(launch: Launch) -> list[tuple[str | None, str, str | None]]:
    return [(word.text, word.presence, word.path) for word in launch.words]


def changed(files: Mapping[str, str], *changes: Change) -> dict[str, str]:
    launch = launch_of(files)
    by_path: dict[str, list[Edit]] = {}
    for edit in launch.editor.edits(launch, changes):
        by_path.setdefault(edit.path or TEMPLATE, []).append(edit)
    return {path: apply_edits(text, by_path.get(path, [])) for path, text in files.items()}


def test_words_stand_where_they_are_written() -> None:
    launch = launch_of(FILES)
    assert words(launch) == [
        ("--model-path=openai/gpt-oss-120b", "yes", None),
        ("--enable-metrics", "yes", None),
        ("--speculative-algorithm=EAGLE", "maybe", None),
        ("--tp-size", "yes", VALUES),
        ("2", "yes", VALUES),
        ("--enable-unified-memory", "yes", VALUES),
    ]
    for word in launch.words[3:]:
        assert CHART_VALUES[word.span.start : word.span.end] == word.text
        assert word.used_at and "toYaml .Values.extraArgs" in POD[word.used_at.span.start : word.used_at.span.end]


def test_evidence_comes_through_to_yaml_and_image_parts() -> None:
    launch = launch_of(FILES)
    assert launch.release and launch.release.value == "0.5.18"
    assert launch.release.place and launch.release.place.path == VALUES
    assert launch.gpu and launch.gpu.value == "h200"
    assert launch.gpu_count and launch.gpu_count.value == 2


def test_a_missing_tag_is_the_charts_application_version() -> None:
    launch = launch_of({**FILES, VALUES: CHART_VALUES.replace(", tag: v0.5.18-cu129", "")})
    assert launch.release and launch.release.value == "0.5.20"


def test_a_value_that_nobody_gives_is_not_known() -> None:
    launch = launch_of({**FILES, VALUES: CHART_VALUES.replace("model: openai/gpt-oss-120b\n", "")})
    model = launch.words[0]
    assert model.text is None
    assert model.known_prefix == "--model-path="


def test_a_list_that_nobody_knows_may_be_any_words() -> None:
    template = POD.replace("toYaml .Values.extraArgs", "tpl (toYaml .Values.extraArgs) $")
    reading = read({**FILES, TEMPLATE: template})
    assert all(problem.severity == "info" for problem in reading.problems)


def test_a_named_template_gives_the_words() -> None:
    helpers = '{{- define "chart.args" -}}\n- --model-path={{ .Values.model }}\n- --trust-remote-code\n{{- end }}\n'
    template = POD.replace("        - --model-path={{ .Values.model }}\n", "")
    template = template.replace("args:\n", 'args:\n        {{- include "chart.args" . | nindent 8 }}\n')
    launch = launch_of({**FILES, TEMPLATE: template, HELPERS: helpers})
    assert words(launch)[:2] == [
        ("--model-path=openai/gpt-oss-120b", "yes", HELPERS),
        ("--trust-remote-code", "yes", HELPERS),
    ]


def test_an_item_of_the_values_is_removed_there() -> None:
    launch = launch_of(FILES)
    after = changed(FILES, RemoveOption(launch.words[3:5]))
    assert after[VALUES] == CHART_VALUES.replace('  - --tp-size\n  - "2"   # two cards\n', "")
    assert after[TEMPLATE] == POD


def test_an_item_of_the_template_is_removed_there() -> None:
    launch = launch_of(FILES)
    after = changed(FILES, RemoveOption(launch.words[1:2]))
    assert after == {**FILES, TEMPLATE: POD.replace("        - --enable-metrics\n", "")}


def test_values_tags_and_additions_go_to_the_values_file() -> None:
    launch = launch_of(FILES)
    assert changed(FILES, SetValue(launch.words[3:5], "8"))[VALUES] == CHART_VALUES.replace('"2"', '"8"')
    assert changed(FILES, SetImageTag("v0.5.20"))[VALUES] == CHART_VALUES.replace("v0.5.18-cu129", "v0.5.20")
    added = changed(FILES, AddOption("--attention-backend", "triton"))
    assert [text for text, _, _ in words(launch_of(added))][-2:] == ["--attention-backend", "triton"]
    assert added[TEMPLATE] == POD


def test_a_value_is_set_in_the_values_and_its_words_are_removed_from_the_template() -> None:
    launch = launch_of(FILES)
    files = changed(FILES, SetValue(launch.words[:1], "other"))
    assert files == {**FILES, VALUES: CHART_VALUES.replace("openai/gpt-oss-120b", "other")}
    files = changed(FILES, RemoveOption(launch.words[:1]))
    assert files == {**FILES, TEMPLATE: POD.replace("        - --model-path={{ .Values.model }}\n", "")}


@pytest.mark.parametrize("printed", ['{{ printf "%s/x" .Values.model }}', "{{ .Values.none }}", "{{ .Values.model }}x"])
def test_what_a_template_puts_together_is_not_edited(printed: str) -> None:
    launch = launch_of({**FILES, TEMPLATE: POD.replace("{{ .Values.model }}", printed)})
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [SetValue(launch.words[:1], "other")])


def test_a_value_that_needs_quotes_is_not_written_into_the_values() -> None:
    launch = launch_of(FILES)
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [SetValue(launch.words[:1], "a: b")])


@pytest.mark.parametrize(
    "template",
    ["# sglang\n{{ if }}", "# sglang\n{{ .Values.x", "# sglang\n{{ end }}", "# sglang\n" + "{{ if .a }}" * 500],
)
def test_a_broken_template_costs_one_problem(template: str) -> None:
    reading = read({**FILES, TEMPLATE: template})
    assert [problem.code for problem in reading.problems] == ["SGL001"]


def test_loops_in_loops_and_templates_that_include_themselves_end() -> None:
    many = "extraArgs: [" + ", ".join(["a"] * 300) + "]\n"
    loops = "# sglang\n" + "{{ range .Values.extraArgs }}" * 1
    loops += "{{ range $.Values.extraArgs }}" * 3 + "x: 1\n" + "{{ end }}" * 4
    bomb = '{{ define "a" }}{{ include "a" . }}{{ include "a" . }}{{ end }}# sglang\n{{ include "a" . }}'
    started = time.process_time()
    for template in (loops, bomb):
        reading = read({**FILES, TEMPLATE: template, VALUES: many})
        assert all(problem.code == "SGL001" for problem in reading.problems)
    assert time.process_time() - started < 10


def test_a_template_outside_a_chart_is_read_as_it_stands() -> None:
    files = {"templates/pod.yaml": FILES[TEMPLATE]}
    reading = read(files, "templates/pod.yaml")
    assert all(problem.severity != "error" for problem in reading.problems)


def sources(files: Mapping[str, str], *linted: str) -> Sources:
    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")})

    return Sources(files.get, names=names, linted=frozenset(linted))


def read_values(files: Mapping[str, str], path: str = VALUES, *linted: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document(path, files[path], "yaml"), sources(files, *linted))
    assert reading.problems == ()
    return reading.launches


def test_a_values_file_by_itself_tells_the_launches_it_takes_part_in() -> None:
    (launch,) = read_values(FILES)
    assert launch.printed_by == TEMPLATE
    assert [word.text for word in launch.words] == [word.text for word in launch_of(FILES).words]
    model = next(word for word in launch.words if word.text == "--model-path=openai/gpt-oss-120b")
    assert model.path == TEMPLATE
    (definition,) = model.defined_at
    assert definition.place.path is None
    assert CHART_VALUES[slice(*definition.place.span)] == "openai/gpt-oss-120b"
    own = [word for word in launch.words if word.path is None]
    assert [CHART_VALUES[slice(*word.span)] for word in own] == ["--tp-size", "2", "--enable-unified-memory"]


def test_a_values_file_leaves_launches_to_templates_that_are_read_themselves() -> None:
    assert read_values(FILES, VALUES, TEMPLATE) == ()
    more = CHART_VALUES + "other:\n  extraArgs: [--mem-fraction-static=0.8, --tp-size=2]\n"
    (launch,) = read_values({**FILES, VALUES: more}, VALUES, TEMPLATE)
    assert launch.launcher == "none"


def test_an_overriding_values_file_is_read_on_top_of_the_chart_s_own() -> None:
    files = {**FILES, "chart/values-prod.yaml": "model: Qwen/Qwen3-8B\nresources: null\nimage: {tag: v0.5.19}\n"}
    (launch,) = read_values(files, "chart/values-prod.yaml", TEMPLATE)
    assert "--model-path=Qwen/Qwen3-8B" in [word.text for word in launch.words]
    assert launch.release is not None
    assert (launch.release.value, launch.gpu_count) == ("0.5.19", None)
    flag = next(word for word in launch.words if word.text == "--enable-unified-memory")
    assert flag.path == VALUES


def test_a_subchart_gets_its_values_from_the_chart_around_it() -> None:
    inner = {path.replace("chart/", "chart/charts/llm/"): text for path, text in FILES.items()}
    inner["chart/charts/llm/Chart.yaml"] = "name: llm\n"
    files = {**inner, "chart/Chart.yaml": "name: whole\n", VALUES: "llm:\n  model: Qwen/Qwen3-8B\n"}
    template = "chart/charts/llm/templates/pod.yaml"
    (launch,) = hosts.read(Document(template, files[template], "yaml"), sources(files)).launches
    assert "--model-path=Qwen/Qwen3-8B" in [word.text for word in launch.words]
    (seen,) = read_values(files)
    assert seen.printed_by == template


def test_a_template_that_only_includes_is_read_when_its_chart_names_the_server() -> None:
    files = {
        "chart/Chart.yaml": "name: chart\n",
        VALUES: "model: m\n",
        HELPERS: '{{- define "args" -}}\n["sglang", "serve", "--model-path", "m"]\n{{- end -}}\n',
        TEMPLATE: 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - command: {{ include "args" . }}\n',
    }
    assert len(launch_of(files).words) == 2
    assert read({**files, HELPERS: '{{- define "args" -}}[]{{- end -}}'}).launches == ()


def test_pasted_lines_that_are_not_known_are_unknown_words_only_where_words_stand() -> None:
    files = {**FILES, VALUES: CHART_VALUES.replace("extraArgs:", "otherArgs:").replace("resources:", "other:")}
    launch = launch_of(files)
    assert [word.many for word in launch.words] == [False, False, False, True]


def test_an_action_ends_behind_the_strings_in_it() -> None:
    template = POD.replace("- --enable-metrics", '- "{{`{{ .ModelName }}`}}"\n        - {{ "a}}b" -}}\n')
    launch = launch_of({**FILES, TEMPLATE: template})
    written, printed = launch.words[1:3]
    assert written.text is None
    assert template[slice(*written.span)] == "{{`{{ .ModelName }}`}}"
    assert printed.text == "a}}b"
