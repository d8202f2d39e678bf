"""Scripts and modules of the user's that take the server's flags, in every notation that starts programs."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.text import Document, Sources, language_of

POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: a\n      image: ours:1\n"
TEXTS = {
    "a.sh": "exec ./tools/start.sh --tp 2\n",
    "b.sh": "nohup bash /opt/start.sh --tp 2 &\n",
    "args.yaml": POD + "      command: [/opt/start.sh]\n      args: [--tp, '2']\n",
    "shell.yaml": POD
    + "      command: [sh, -c]\n      args:\n        - |\n          cd /opt\n          ./start.sh --tp 2\n",
    "run.yaml": "steps:\n  - run: |\n      ./start.sh --tp 2\n",
    "compose.yaml": "services:\n  a:\n    image: ours:1\n    entrypoint: /opt/start.sh\n    command: --tp 2\n",
    "Dockerfile": 'FROM ours:1\nENTRYPOINT ["/opt/start.sh"]\nCMD ["--tp", "2"]\n',
    "shell.dockerfile": "FROM ours:1\nCMD exec /opt/start.sh --tp 2\n",
    "a.service": "[Service]\nExecStart=/opt/start.sh --tp 2\n",
    "sh.service": "[Service]\nExecStart=/bin/sh -c 'exec /opt/start.sh --tp 2'\n",
    "Makefile": "serve:\n\t./start.sh --tp 2\n",
    "justfile": "serve:\n    ./start.sh --tp 2\n",
    "a.py": "import subprocess\nsubprocess.run(['./start.sh', '--tp', '2'])\n",
    "b.py": "import os\nos.system('./start.sh --tp 2')\n",
}
CHART = {
    "c/Chart.yaml": "name: c\n",
    "c/values.yaml": "tp: 2\n",
    "c/templates/pod.yaml": POD + "      command: [/opt/start.sh]\n      args: [--tp, '{{ .Values.tp }}']\n",
}


def words(path: str, text: str, *launchers: str, files: dict[str, str] | None = None) -> list[list[str | None]]:
    reading = hosts.read(Document(path, text, language_of(path) or ""), Sources((files or {}).get), launchers)
    assert reading.problems == ()
    return [[word.text for word in launch.words] for launch in reading.launches]


@pytest.mark.parametrize("path", TEXTS)
def test_a_launcher_of_the_user_s_is_one_where_settings_name_it(path: str) -> None:
    assert words(path, TEXTS[path], "scripts/start.sh") == [["--tp", "2"]]
    assert words(path, TEXTS[path]) == []


def test_a_launcher_in_a_chart() -> None:
    path = "c/templates/pod.yaml"
    assert words(path, CHART[path], "start.sh", files=CHART) == [["--tp", "2"]]
    assert words(path, CHART[path], files=CHART) == []


@pytest.mark.parametrize(
    "command", ["python serve_it.py --tp 2", "python3 -m ours.serve --tp 2", "uv run serve_it.py --tp 2"]
)
def test_programs_and_modules_of_python(command: str) -> None:
    assert words("a.sh", command + "\n", "app/serve_it.py", "ours.serve") == [["--tp", "2"]]
    assert words("a.sh", command + "\n") == []


def test_the_same_text_is_read_anew_under_other_settings() -> None:
    for names in ((), ("start.sh",), ()):
        assert len(words("args.yaml", TEXTS["args.yaml"], *names)) == len(names)
