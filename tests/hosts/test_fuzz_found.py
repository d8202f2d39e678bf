"""What fuzzing found once, in its smallest form: each used to hang, to grow without bound or to fail."""

from __future__ import annotations

import time

from sglint import hosts
from sglint.launch import Reading
from sglint.text import Document, Sources

SECONDS = 10.0
"""Far above what is needed, so that a busy machine does not fail; what is guarded against needs hours."""


def reading_of(path: str, text: str, language: str, **others: str) -> Reading:
    start = time.process_time()
    files = {name.replace("_", "."): content for name, content in others.items()}
    reading = hosts.read(Document(path, text, language), Sources(files.get, names=lambda folder: sorted(files)))
    assert time.process_time() - start < SECONDS
    assert [problem.message for problem in reading.problems if problem.code == "SGL000"] == []
    return reading


def test_many_blank_lines_in_two_notations_before_a_document() -> None:
    text = "# sglang\n" + "\r\n" * 2_000 + "}\n---\nargs: [--model-path, m]\n"
    (problem,) = reading_of("a.yaml", text, "yaml").problems
    assert problem.code == "SGL001"


def test_a_next_line_sign_is_part_of_a_compose_word() -> None:
    text = (
        "services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n"
        "    command: python3 -m sglang.launch_server --model-path ${M}\n"
    )
    (launch,) = reading_of("compose.yaml", text, "yaml", _env="M=a\x85b\u2028c\n").launches
    assert [word.text for word in launch.words] == ["--model-path", "a\x85b\u2028c"]


def test_a_thousand_unknown_words_before_a_program() -> None:
    unit = "[Service]\nExecStart=" + "$A " * 5_000 + "python3 -m sglang.launch_server --model-path m\n"
    (launch,) = reading_of("a.service", unit, "systemd").launches
    assert [word.text for word in launch.words] == ["--model-path", "m"]
    assert reading_of("a.service", "[Service]\nExecStart=" + "$A exec " * 5_000 + "sglang\n", "systemd").launches == ()


def test_an_anchor_that_holds_an_alias_of_itself() -> None:
    text = "x: &x\n  image: sglang\n  prefill:\n    <<: *x\n    command: [sglang, serve, --tp, '2']\n    more: *x\n"
    (launch,) = reading_of("a.yaml", text, "yaml").launches
    assert [word.text for word in launch.words] == ["--tp", "2"]


def test_services_that_extend_a_thousand_others_in_a_ring() -> None:
    services = "".join(f"  s{n}:\n    image: sglang\n    extends: s{(n + 1) % 1_000}\n" for n in range(1_000))
    text = f"services:\n{services}  a:\n    command: python3 -m sglang.launch_server --tp 2\n"
    assert len(reading_of("compose.yaml", text, "yaml").launches) == 1


def test_files_of_services_that_extend_each_other_all() -> None:
    def services(other: str) -> str:
        each = "".join(
            f"  s{n}:\n    image: sglang\n    extends: {{file: {other}, service: s{n}}}\n" for n in range(40)
        )
        return f"services:\n{each}  a:\n    command: python3 -m sglang.launch_server --tp 2\n"

    others = {f"b{n}_yml": services(f"b{n + 1}.yml") for n in range(8)}
    assert len(reading_of("compose.yaml", services("b0.yml"), "yaml", **others).launches) == 1


def test_a_word_of_a_unit_with_many_variables_and_a_makefile_of_many_recipes() -> None:
    unit = "[Service]\nExecStart=sglang serve --model-path m" + "$A.%i" * 20_000 + "\n"
    assert len(reading_of("a.service", unit, "systemd").launches) == 1
    make = "".join(f"A{n} = 1\n" for n in range(3_000)) + "a:\n" + "\techo $(A1)\n" * 500 + "\tsglang serve --tp 2\n"
    assert len(reading_of("Makefile", make, "makefile").launches) == 1


def chart_reading(name: str, template: str, values: str) -> Reading:
    files = {"c/Chart.yaml": "name: c\n", "c/values.yaml": values, "c/templates/pod.yaml": template}
    names = {"c": ["Chart.yaml", "values.yaml", "templates"], "c/templates": ["pod.yaml"]}
    start = time.process_time()
    sources = Sources(files.get, names=lambda folder: names.get(folder, []))
    reading = hosts.read(Document(name, files[name], "yaml"), sources)
    assert time.process_time() - start < SECONDS
    return reading


POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: lmsysorg/sglang:v0.5.18\n"
COMMAND = "    command: [python3, -m, sglang.launch_server]\n    args:\n    {{- toYaml .Values.args | nindent 4 }}\n"


def test_a_line_of_many_actions() -> None:
    template = (
        POD
        + "    {{ .Values.a }}" * 60
        + " x\n    args:\n    - |\n      sglang serve {{ .Values.b }}\n      {{ .Values.c }}\n"
    )
    chart_reading("c/templates/pod.yaml", template, "a: 1\n")


def test_an_empty_word_of_a_template_seen_from_its_values() -> None:
    values = "args: [--model-path, /m/a]\n"
    (launch,) = chart_reading("c/values.yaml", POD + COMMAND + "    - |-\n", values).launches
    assert [word.text for word in launch.words] == ["--model-path", "/m/a", ""]
    assert [word.path for word in launch.words] == [None, None, "c/templates/pod.yaml"]


def test_a_value_that_breaks_a_template_is_told_where_the_template_uses_it() -> None:
    use = "{{ .Values.broken }}"
    template = POD + COMMAND + f"    broken: {use}\n"
    (problem,) = chart_reading(
        "c/templates/pod.yaml", template, "# long\n" * 200 + "args: [--tp, 2]\nbroken: 'a: b: c'\n"
    ).problems
    assert template[problem.span.start : problem.span.end] == use


def test_comments_of_many_signs_before_an_alias() -> None:
    text = (
        POD
        + "    command: [sglang, serve]\n    x: &a --tp\n    args:\n"
        + "    "
        + "#" * 500
        + "\n    # # # * # #\n    - *a\n    - '2'\n"
    )
    (launch,) = reading_of("a.yaml", text, "yaml").launches
    assert [word.text for word in launch.words] == ["--tp", "2"]


def test_a_makefile_whose_variable_is_blank() -> None:
    text = "A =" + " " * 20_000 + "\x0b\na:\n\tsglang serve --tp 2 $(A)\n"
    assert len(reading_of("Makefile", text, "makefile").launches) == 1


def test_an_empty_word_of_a_manifest_seen_from_its_patch() -> None:
    manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n"
    base = (
        "# The base is longer than its patch.\n" + manifest + '    command: [python3, -m, sglang.launch_server, ""]\n'
    )
    patch = manifest + "    args: [--mem-fraction-static=0.8]\n"
    kustomization = "resources: [base.yaml]\npatches:\n- path: patch.yaml\n"
    others = {"base_yaml": base, "patch_yaml": patch, "kustomization_yaml": kustomization}
    (launch,) = reading_of("patch.yaml", patch, "yaml", **others).launches
    assert [(word.text, word.path) for word in launch.words] == [("", "base.yaml"), ("--mem-fraction-static=0.8", None)]


def test_many_pipes_beside_a_here_document_and_a_quote_that_are_not_closed() -> None:
    text = "sglang serve --tp 2\n-<<: |-|-|+\n" + "|-" * 13 + "|" + "|-" * 120 + '|"|-$'
    (launch,) = reading_of("a.sh", text, "shell").launches
    assert [word.text for word in launch.words] == ["--tp", "2"]
    piped = "cat <<E | sglang serve --tp 2" + " | cat" * 60 + "\nx\nE\n"
    (launch,) = reading_of("a.sh", piped, "shell").launches
    assert [word.text for word in launch.words] == ["--tp", "2"]


def test_an_expression_of_a_justfile_that_is_blank_and_not_closed() -> None:
    text = 'tp := "2"\nserve:\n    sglang serve --tp {{ tp }} {{' + " " * 20_000 + "\n"
    (launch,) = reading_of("justfile", text, "justfile").launches
    assert [word.text for word in launch.words][:2] == ["--tp", "2"]
