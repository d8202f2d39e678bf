"""A launch and its ``--config`` file: one command line, judged once, edited where each word is written."""

from __future__ import annotations

from collections.abc import Mapping

from sglint import hosts
from sglint.launch import Launch
from sglint.launch.model import RemoveOption, SetValue
from sglint.lint import lint
from sglint.lint.launches import parse_words
from sglint.settings import Settings
from sglint.text import Document, Sources, apply_edits

SERVE = "model-path: openai/gpt-oss-120b\ntp-size: 2\nenable-metrics: true\n"
MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: serve}
data:
  serve.yaml: |
    model-path: openai/gpt-oss-120b
    mem-fraction-static: 0.8
    no-such-flag: 1
---
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      command: ["python3", "-m", "sglang.launch_server"]
      args: ["--config", "/etc/sglang/serve.yaml", "--tp-size", "4"]
"""


def script(path: str) -> str:
    return f"python3 -m sglang.launch_server --config {path} --tp-size 4\n"


def launches(name: str, files: Mapping[str, str]) -> tuple[Launch, ...]:
    document = Document(name, files[name], "shell" if name.endswith(".sh") else "yaml")
    return hosts.read(document, Sources(files.get)).launches


def options(launch: Launch) -> list[tuple[str, str | None]]:
    return [(one.written, one.raw[0] if one.raw else None) for one in parse_words(launch, "0.5.18").options]


def test_words_of_a_file_beside_come_before_the_launch_s_own() -> None:
    for path in ("conf/serve.yaml", "./conf/serve.yaml"):
        (launch,) = launches("run.sh", {"run.sh": script(path), "conf/serve.yaml": SERVE})
        assert options(launch) == [
            ("--model-path", "openai/gpt-oss-120b"),
            ("--tp-size", "2"),
            ("--enable-metrics", None),
            ("--config", path),
            ("--tp-size", "4"),
        ]
        assert {word.path for word in launch.config or ()} == {"conf/serve.yaml"}


def test_a_path_inside_a_container_is_taken_for_the_file_of_that_name_beside() -> None:
    (launch,) = launches("a/run.sh", {"a/run.sh": script("/etc/serve.yaml"), "a/serve.yaml": SERVE})
    assert ("--model-path", "openai/gpt-oss-120b") in options(launch)


def test_a_file_that_is_not_found_leaves_the_launch_as_it_is_written() -> None:
    for files in ({}, {"serve.yaml": "- a\n- b\n"}, {"serve.yaml": "a: [\n"}):
        (launch,) = launches("run.sh", {"run.sh": script("/etc/serve.yaml"), **files})
        assert launch.config is None
        assert options(launch) == [("--config", "/etc/serve.yaml"), ("--tp-size", "4")]


def test_a_variable_s_file_is_not_guessed() -> None:
    (launch,) = launches("run.sh", {"run.sh": script("$DIR/serve.yaml"), "serve.yaml": SERVE})
    assert launch.config is None


def test_a_config_map_is_judged_with_the_launch_that_reads_it_and_told_once() -> None:
    file, launch = launches("pod.yaml", {"pod.yaml": MANIFEST})
    assert (file.is_read, launch.config) == (True, file.words)
    report = lint(Document("pod.yaml", MANIFEST, "yaml"), Settings())
    found = [finding for finding in report.findings if finding.code == "SGL020"]
    assert [(finding.launch, MANIFEST[slice(*finding.span)]) for finding in found] == [(1, "no-such-flag")]


def test_of_two_config_maps_with_a_file_of_that_name_none_is_chosen() -> None:
    twice = MANIFEST.replace("---\n", "---\n" + MANIFEST.partition("---")[0] + "---\n")
    *files, launch = launches("pod.yaml", {"pod.yaml": twice})
    assert [file.is_read for file in files] == [False, False]
    assert launch.config is None


def test_edits_go_to_the_file_that_has_the_word() -> None:
    files = {"run.sh": script("serve.yaml"), "serve.yaml": SERVE}
    (launch,) = launches("run.sh", files)
    parsed = parse_words(launch, "0.5.18")
    metrics, own = parsed.of("enable_metrics")[0], parsed.of("tp_size")[-1]
    edits = launch.editor.edits(launch, (RemoveOption(metrics.words), SetValue(own.words, "8")))
    there = [edit for edit in edits if edit.path == "serve.yaml"]
    here = [edit for edit in edits if edit.path is None]
    assert apply_edits(SERVE, there) == "model-path: openai/gpt-oss-120b\ntp-size: 2\n"
    assert apply_edits(files["run.sh"], here) == script("serve.yaml").replace("4", "8")


SWITCHES = "model-path: a/b\ntp-size: 2\nenable-dp-attention: true\ndisable-cuda-graph: true\nenable-ep-moe: true\n"


def judged(files: Mapping[str, str], name: str, release: str) -> tuple[list[str | None], set[str]]:
    """The words of the one launch, and the codes of what is found, as the project's release has it."""
    language = "shell" if name.endswith(".sh") else "yaml"
    report = lint(Document(name, files[name], language), Settings(release=release), Sources(files.get))
    (launch,) = (one.launch for one in report.judged)
    return [word.text for word in launch.config or launch.words], {finding.code for finding in report.findings}


def test_a_file_s_words_are_those_of_the_release_that_the_project_is_judged_by() -> None:
    """The file itself names no release, so it was read as the newest one's."""
    files = {"serve.yaml": SWITCHES, "run.sh": script("serve.yaml")}
    for name in files:
        old, found = judged(files, name, "0.5.3")
        assert old[4:] == ["--enable-dp-attention", "--disable-cuda-graph", "--enable-ep-moe"]
        assert not found & {"SGL025", "SGL033"}
        # The flag is gone, so the merger writes a value behind it.
        assert judged(files, name, "0.5.9")[0][4:] == [*old[4:], "true"]


def test_a_key_that_the_merger_stops_at_is_told_once() -> None:
    """Nothing takes the word `true` behind it, for the merger never gets to writing it."""
    _, found = judged({"serve.yaml": SWITCHES.replace("enable-ep-moe: true\n", "")}, "serve.yaml", "0.5.23")
    assert "SGL033" in found
    assert "SGL025" not in found


def test_a_file_of_abbreviated_flags_is_told_from_one_of_other_settings() -> None:
    few = "tp: 8\ntrust-remote-code: true\nmem-fraction-static: 0.7\nport: 8000\n"
    (launch,) = launches("serve.yaml", {"serve.yaml": few})
    assert launch.launcher == "config"
    for other in (few.replace("port", "seed-of-mine"), few.replace("mem-fraction-static", "context-length")):
        assert launches("serve.yaml", {"serve.yaml": other}) == ()
    in_map = MANIFEST.replace("    no-such-flag: 1\n", "").replace(
        "    model-path: openai/gpt-oss-120b\n", "    tp: 2\n"
    )
    assert [launch.launcher for launch in launches("x.yaml", {"x.yaml": in_map})] == ["config", "launch_server"]


def test_an_edit_reaches_a_file_whose_words_were_made_anew() -> None:
    files = {"serve.yaml": SWITCHES, "run.sh": script("serve.yaml")}
    report = lint(Document("run.sh", files["run.sh"], "shell"), Settings(release="0.5.3"), Sources(files.get))
    (launch,) = (one.launch for one in report.judged)
    gone = next(one for one in parse_words(launch, "0.5.3").options if one.written == "--disable-cuda-graph")
    edits = launch.editor.edits(launch, [RemoveOption(gone.words)])
    assert {edit.path for edit in edits} == {"serve.yaml"}
    assert apply_edits(SWITCHES, edits) == SWITCHES.replace("disable-cuda-graph: true\n", "")
