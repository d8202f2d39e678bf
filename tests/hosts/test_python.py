"""Launches in Python programs: words, places, doubts, and what is no launch."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import Launch, Reading
from sglint.launch.model import CannotEdit, RemoveOption
from sglint.text import Document, Sources

from .extraction import cases

SERVER = '"python3", "-m", "sglang.launch_server"'


def read(text: str, *launchers: str, path: str = "a.py") -> Reading:
    reading = hosts.read(Document(path, text, "python"), Sources.none(), launchers)
    assert [problem.message for problem in reading.problems] == []
    return reading


def launch(text: str, *launchers: str) -> Launch:
    (found,) = read(text, *launchers).launches
    return found


def words(found: Launch) -> list[str]:
    """Words as ``text``, those that may be missing with ``?``, unknown ones as ``<>`` and any number as ``<...>``."""
    shown = []
    for word in found.words:
        text = "<...>" if word.many else word.text if word.text is not None else f"{word.known_prefix}<>"
        shown.append(text + ("?" if word.presence == "maybe" else ""))
    return shown


def written(text: str, found: Launch) -> list[str]:
    return [text[slice(*word.span)] for word in found.words]


COMMANDS = {
    "run": f"import subprocess\nsubprocess.run([{SERVER}, '--tp', '2'])\n",
    "alias": f"import subprocess as sp\nsp.Popen(args=[{SERVER}, '--tp', '2'])\n",
    "imported name": f"from subprocess import check_call\ncheck_call(({SERVER}, '--tp', '2'))\n",
    "this Python": "import sys\nrun([sys.executable, '-m', 'sglang.launch_server', '--tp', '2'])\n",
    "sum": f"run([{SERVER}] + ['--tp'] + ['2'])\n",
    "name": f"cmd = [{SERVER}]\ncmd += ['--tp', '2']\nrun(cmd)\n",
    "append": f"cmd = [{SERVER}]\ncmd.append('--tp')\ncmd.append(str(2))\nrun(cmd)\n",
    "extend": f"cmd = [{SERVER}]\ncmd.extend(['--tp', '2'])\nrun(cmd)\n",
    "star": f"extra = ['--tp', '2']\nrun([{SERVER}, *extra])\n",
    "copy": f"base = [{SERVER}]\ncmd = base.copy()\ncmd += ['--tp', '2']\nrun(list(cmd))\n",
    "returned": f"def command():\n    return [{SERVER}, '--tp', '2']\n",
    "returned name": f"def command():\n    cmd = [{SERVER}]\n    cmd += ['--tp', '2']\n    return cmd\n",
    "handed on": f"async def main():\n    cmd = [{SERVER}, '--tp', '2']\n    await start_it(cmd)\n",
    "exec": f"import os\nos.execvp('python3', [{SERVER}, '--tp', '2'])\n",
    "exec words": f"import os\nos.execlp('python3', {SERVER}, '--tp', '2')\n",
    "asyncio": f"import asyncio\nasyncio.create_subprocess_exec({SERVER}, '--tp', '2')\n",
    "split": "import shlex\nrun(shlex.split('python -m sglang.launch_server --tp \"2\"'))\n",
    "blanks": "run('sglang serve --tp 2'.split())\n",
    "system": "import os\nos.system('python -m sglang.launch_server --tp 2 && echo ok')\n",
    "shell": "run(f'sglang serve --tp {2}', shell=True)\n",
    "long text": "run('''\ncd /srv\nsglang serve \\\\\n  --tp 2\n''', shell=True)\n",
    "adjacent texts": "run('sglang serve '  # here\n    \"--tp 2\", shell=True)\n",
    "bash": "run(['bash', '-lc', 'exec sglang serve --tp 2'])\n",
    "template": "run('sglang serve --tp {} {{}}'.format(2))\n".replace(" {{}}", ""),
    "percent": "run('%s -m sglang.launch_server --tp %d' % (sys.executable, 2), shell=True)\n",
    "joined": f"run(' '.join([{SERVER}, '--tp', '2']), shell=True)\n",
    "joined by shlex": f"import shlex\nrun(shlex.join([{SERVER}, '--tp', '2']), shell=True)\n",
    "task": "import sky\nsky.Task(run='sglang serve --tp 2')\n",
    "container": f"V1Container(name='x', command=[{SERVER}], args=['--tp', '2'])\n",
    "attribute": f"class A:\n    def f(self):\n        self.cmd = [{SERVER}, '--tp', '2']\n"
    "    def g(self):\n        Popen(self.cmd)\n",
    "main": f"if __name__ == '__main__':\n    run([{SERVER}, '--tp', '2'])\n",
    "comprehension": f"run([{SERVER}] + [str(word) for word in ['--tp', 2]])\n",
    "map": f"run([{SERVER}, *map(str, ['--tp', 2])])\n",
    "prepared": "from sglang.srt.server_args import prepare_server_args\nprepare_server_args(['--tp', '2'])\n",
    "with": f"with open('log') as log:\n    run([{SERVER}, '--tp', '2'], stdout=log)\n",
    "match": f"match kind:\n    case 'a':\n        run([{SERVER}, '--tp', '2'])\n",
    "lambda free": f"jobs = {{'a': [{SERVER}, '--tp', '2']}}\n",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_words_of_a_start(name: str) -> None:
    assert words(launch(COMMANDS[name])) == ["--tp", "2"]


def test_values_stand_where_they_are_put_in_and_flags_where_they_are_written() -> None:
    text = (
        'M = "a/😀"\nPORT = 30_000\n'
        f"cmd = [{SERVER}, '--model-path', M, f'--port={{PORT}}', f'--host={{host}}']\n"
        "cmd += ['--json-model-override-args', '{\"a\": \\'b\\'}']\nrun(cmd)\n"
    )
    found = launch(text)
    assert words(found)[1:4] == ["a/😀", "--port=30000", "--host=<>"]
    assert written(text, found)[:4] == ["--model-path", "M", "--port={PORT}", "--host={host}"]
    assert words(found)[-1] == "{\"a\": 'b'}"
    assert written(text, found)[-1] == "{\"a\": \\'b\\'}"
    value = found.words[1]
    assert [(item.name, text[slice(*item.place.span)]) for item in value.defined_at] == [("M", "a/😀")]
    assert value.used_at is not None and text[slice(*value.used_at.span)] == "cmd"
    assert text[slice(*found.words[2].span_of(7))] == "{PORT}"


def test_positions_behind_wide_characters_and_every_line_end() -> None:
    for ending in ("\n", "\r\n", "\r"):
        text = ending.join(("é = '😀'; x = 1", "# ü", f"run(['é', 'a😀'], é); run([{SERVER}, 'ö', '--tp', '2'])", ""))
        found = launch(text)
        assert written(text, found) == ["ö", "--tp", "2"]
        assert found.launcher_span is not None
        assert text[slice(*found.launcher_span)] == "sglang.launch_server"
        with_mark = launch("\ufeff" + text)
        assert [word.span.start for word in with_mark.words] == [word.span.start + 1 for word in found.words]


def test_conditions_make_words_that_may_be_missing() -> None:
    branches = "if x:\n    cmd += ['--b']\nelif y:\n    cmd.append('--c')\nelse:\n    pass\n"
    text = f"cmd = [{SERVER}, '--a']\n{branches}run(cmd)\n"
    assert words(launch(text)) == ["--a", "--b?", "--c?"]
    assert words(launch(f"run([{SERVER}, '--a', *(['--b'] if x else [])])\n")) == ["--a", "--b?"]
    assert words(launch(f"def f(more=None):\n    run([{SERVER}, '--a'] + (more or []))\n")) == ["--a", "<...>"]
    assert words(launch(f"if x:\n    run([{SERVER}, '--a'])\n")) == ["--a"]
    dead = f"cmd = [{SERVER}]\nif x:\n    cmd += ['--never']\n    raise ValueError(cmd)\nrun(cmd)\n"
    assert words(launch(dead)) == []


def test_values_that_differ_are_not_known() -> None:
    assert words(launch(f"tp = '2'\nif x:\n    tp = '4'\nrun([{SERVER}, '--tp', tp])\n")) == ["--tp", "<>"]
    assert words(launch(f"run([{SERVER}, '--tp', '2' if x else '4'])\n")) == ["--tp", "<>"]
    assert words(launch(f"tp = '1'\ntp = '2'\ndef f():\n    run([{SERVER}, '--tp', tp])\n")) == ["--tp", "<>"]
    assert words(launch(f"def f(tp='2', *args):\n    run([{SERVER}, '--tp', tp, *args])\n")) == ["--tp", "<>", "<...>"]


def test_each_branch_with_a_launch_of_its_own_is_one() -> None:
    text = f"if x:\n    cmd = [{SERVER}, '--a']\nelse:\n    cmd = ['sglang', 'serve', '--b']\nrun(cmd)\n"
    assert [words(found) for found in read(text).launches] == [["--a"], ["--b"]]


def test_loops_over_what_is_known_are_no_condition_and_others_add_any_number() -> None:
    flags = "{'tp-size': 8, 'trust-remote-code': True, 'enable-metrics': False}"
    body = (
        "    if value is True:\n        cmd.append(f'--{key}')\n        continue\n"
        "    elif isinstance(value, bool):\n        continue\n    cmd += [f'--{key}', str(value)]\n"
    )
    text = f"cmd = [{SERVER}]\nfor key, value in {flags}.items():\n{body}run(cmd)\n"
    assert words(launch(text)) == ["--tp-size", "8", "--trust-remote-code"]
    unknown = f"cmd = [{SERVER}, '--a']\nfor one in sys.argv:\n    cmd += ['--x', one]\nrun(cmd)\n"
    assert words(launch(unknown)) == ["--a", "--x?", "<...>"]
    ranks = f"for rank in [0, 1]:\n    run([{SERVER}, '--node-rank', str(rank)])\n"
    assert words(launch(ranks)) == ["--node-rank", "<>"]


def test_unknown_pieces_of_a_shell_text() -> None:
    text = "run(f'sglang serve --tp {tp} {more} --port=1{x} {\" \".join(rest)}', shell=True)\n"
    assert words(launch(text)) == ["--tp", "<>", "<...>", "--port=1<>", "<...>"]


def test_defaults_of_variables_run_unless_somebody_sets_them() -> None:
    text = f"import os\nrun([{SERVER}, '--tp', os.environ.get('TP', '2'), '--host', os.environ['H']])\n"
    found = launch(text)
    assert words(found) == ["--tp", "2", "--host", "<>"]
    assert written(text, found)[1] == "os.environ.get('TP', '2')"


def test_keywords_of_an_engine_are_the_options_that_set_the_same_fields() -> None:
    text = (
        "import sglang as sgl\nllm = sgl.Engine(model_path='m', tp_size=8, enable_metrics=True,\n"
        "    disable_radix_cache=False, quantization=None, cuda_graph_bs=[1, 2], log_level=level,\n"
        "    enable_p2p_check=flag, custom_sigquit_handler=print, fp8_gemm_runner_backend='triton')\n"
    )
    found = launch(text)
    assert (found.host, found.launcher) == ("python", "engine")
    assert words(found) == [
        *("--model-path", "m", "--tp-size", "8", "--enable-metrics", "--cuda-graph-bs", "1", "2"),
        *("--log-level?", "<>?", "--enable-p2p-check?", "--fp8-gemm-backend", "triton"),
    ]
    assert [text[slice(*word.span)] for word in found.words][:5] == [
        "model_path",
        "m",
        "tp_size",
        "8",
        "enable_metrics",
    ]
    stated = found.words[4].stated
    assert stated is not None and text[slice(*stated)] == "True"
    assert [item.text for item in found.dropped] == ["disable_radix_cache=False", "quantization=None"]
    assert text[slice(*found.launcher_span or (0, 0))] == "Engine"


ENGINES = {
    "sglang": "import sglang\nsglang.Engine(model_path='m', tp_size=2)\n",
    "class": "from sglang.srt.entrypoints.engine import Engine\nEngine(model_path='m', tp_size=2)\n",
    "arguments": "from sglang.srt.server_args import ServerArgs as A\nlaunch_server(A('m', tp_size=2))\n",
    "given": "import sglang as s\nargs = ServerArgs(model_path='m', tp_size=2)\ns.Engine(server_args=args)\n",
    "table": "import sglang\nkw = {'model_path': 'm'}\nkw['tp_size'] = 2\nsglang.Engine(**kw)\n",
    "made table": "import sglang\nkw = dict(model_path='m')\nkw.update(tp_size=2)\nsglang.Engine(**kw)\n",
}


@pytest.mark.parametrize("name", ENGINES)
def test_engines_by_every_name(name: str) -> None:
    assert words(launch(ENGINES[name])) == ["--model-path", "m", "--tp-size", "2"]


def test_other_classes_and_engines_without_a_word_are_no_launches() -> None:
    for text in (
        "from mine import Engine\nEngine(model_path='m')  # sglang\n",
        "from sglang.multimodal_gen.runtime.server_args import ServerArgs\nServerArgs(model_path='m')\n",
        "import sglang\nsglang.Engine(**options)\n",
    ):
        assert read(text).launches == ()


def test_the_servers_of_sglang_s_own_tests() -> None:
    text = (
        "from sglang.test.test_utils import popen_launch_server\nclass A:\n    model = 'a/b'\n    extra = None\n"
        "    @classmethod\n    def setUpClass(cls):\n        cls.args = ['--tp', '2']\n"
        "        more = [*cls.args, '--dtype', cls.extra]\n"
        "        cls.p = popen_launch_server(cls.model, url, timeout=600, other_args=more)\n"
    )
    found = launch(text)
    assert words(found) == ["--model-path=a/b", "--tp", "2", "--dtype", "<>"]
    assert text[slice(*found.words[0].span_of(13))] == "cls.model"


NO_LAUNCHES = (
    "print('python -m sglang.launch_server --tp 2')\n",
    '"""Run python -m sglang.launch_server --tp 2."""\n',
    "parser.add_argument('--cmd', help='sglang serve --tp 2')\n",
    "logger.info('starting %s', ['sglang', 'serve', '--tp', '2'])\n",
    "assert cmd == ['python', '-m', 'sglang.launch_server', '--tp', '2']\n",
    "raise RuntimeError('run sglang serve --tp 2')\n",
    "# run(['sglang', 'serve', '--tp', '2'])\n",
    "NOTE = 'sglang serve --tp 2'\n",
)


@pytest.mark.parametrize("text", NO_LAUNCHES)
def test_what_only_speaks_of_a_launch_is_none(text: str) -> None:
    assert read(text).launches == ()


def test_other_programs_are_named() -> None:
    text = "run(['pkill', '-f', 'sglang.launch_server'])\nrun(['python', '-m', 'sglang.bench_serving', '--tp', '2'])\n"
    assert [item.program for item in read(text).not_launches] == ["kill", "bench"]


def test_what_stands_around_a_launch() -> None:
    text = (
        "import os, modal\nimage = modal.Image.from_registry('lmsysorg/sglang:v0.5.18-cu126')\n"
        "@app.function(gpu='H100:8', image=image)\ndef serve():\n    os.environ['A'] = '1'\n"
        f"    subprocess.Popen([{SERVER}, '--tp', '2'], env={{**os.environ, 'CUDA_VISIBLE_DEVICES': '0,1'}})\n"
    )
    found = launch(text)
    assert found.release is not None and found.gpu is not None and found.gpu_count is not None
    assert (found.release.value, found.gpu.value, found.gpu_count.value) == ("0.5.18", "h100", 2)
    assert [(item.name, item.value) for item in found.env] == [("A", "1"), ("CUDA_VISIBLE_DEVICES", "0,1")]
    ray = launch(f"@ray.remote(num_gpus=4)\nclass A:\n    def f(self):\n        run([{SERVER}])\n")
    assert ray.gpu_count is not None and ray.gpu_count.value == 4
    pip = launch(f"run(['pip', 'install', 'sglang[all]==0.5.20'])\nrun([{SERVER}])\n")
    assert pip.release is not None and pip.release.value == "0.5.20"
    docker = launch(
        f"run(['docker', 'run', '--gpus', '2', '-e', 'A=1', 'lmsysorg/sglang:v0.5.19', {SERVER}, '--tp', '2'])\n"
    )
    assert docker.image is not None and docker.release is not None and docker.gpu_count is not None
    assert (docker.image.tag, docker.release.value, docker.gpu_count.value) == ("v0.5.19", "0.5.19", 2)
    sdk = launch("c.containers.run('lmsysorg/sglang:v0.5.21', command=['--model-path', 'm', '--tp-size', '2'])\n")
    assert sdk.launcher == "none" and sdk.release is not None and sdk.release.value == "0.5.21"


def test_directives_stand_above_the_statement_or_on_its_lines() -> None:
    text = f"# sglint: release=0.5.19 gpu=h200x8\ncmd = [\n    {SERVER},\n    '--tp', '2',\n]\nrun(cmd)\n"
    found = launch(text)
    assert found.release is not None and found.gpu is not None
    assert (found.release.value, found.gpu.value) == ("0.5.19", "h200")


def test_own_launchers_take_the_flags() -> None:
    text = "run(['bash', 'tools/start.sh', '--tp', '2'])\nrun('./start.sh --tp 2', shell=True)\n"
    assert [words(found) for found in read(text, "tools/start.sh").launches] == [["--tp", "2"], ["--tp", "2"]]
    assert read(text).launches == ()


def test_words_are_only_read_and_that_is_said() -> None:
    found = launch(COMMANDS["name"])
    with pytest.raises(CannotEdit, match="only read"):
        found.editor.edits(found, (RemoveOption(found.words[:1]),))


def test_a_statement_that_does_not_parse_is_one_quiet_note_and_costs_itself() -> None:
    text = f"run([{SERVER}, '--tp', '2'])\n\ndef broken(:\n    run(['sglang', 'serve'\n\nrun([{SERVER}, '--tp', '4'])\n"
    reading = hosts.read(Document("a.py", text, "python"), Sources.none())
    assert [words(found) for found in reading.launches] == [["--tp", "2"], ["--tp", "4"]]
    (problem,) = reading.problems
    assert (problem.code, problem.severity) == ("SGL004", "info")
    hopeless = hosts.read(Document("a.py", "print 'sglang.launch_server'\n" * 20, "python"), Sources.none())
    assert [(item.code, item.severity) for item in hopeless.problems] == [("SGL004", "info")]


@pytest.mark.filterwarnings("error")
def test_what_python_would_warn_of_is_not_shown() -> None:
    assert words(launch(f"x = 1if y else 0\nz = '\\d'\nrun([{SERVER}, '--tp', '2'])\n")) == ["--tp", "2"]


def test_the_case_of_a_python_launcher() -> None:
    (case,) = cases("python")
    text = case.text
    found = launch(text)
    assert words(found) == ["--model-path", "/m/zosterops", "--tp-size?", "2?"]
