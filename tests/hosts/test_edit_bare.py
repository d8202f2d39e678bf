"""Options added to launches that have no words at all."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import AddOption, CannotEdit, Launch
from sglint.text import Document, Sources, apply_edits
from sglint.text.document import language_of

BARE = {
    "a.service": "[Service]\nExecStart=/usr/bin/python3 -m sglang.launch_server\n",
    "b.service": "[Service]\nExecStart=/usr/bin/python3 -m sglang.launch_server \\\n\n[Install]\n",
    "run.sh": "python3 -m sglang.launch_server\n",
    "text.yaml": "kind: Pod\nspec:\n  containers:\n    - command: [sh, -c, python3 -m sglang.launch_server]\n",
    "Dockerfile": 'FROM x\nCMD ["python3", "-m", "sglang.launch_server"]\n',
    "shell/Dockerfile": "FROM x\nCMD python3 -m sglang.launch_server\n",
}
WITHOUT_PATTERN = {
    "pod.yaml": "kind: Pod\nspec:\n  containers:\n    - command: [python3, -m, sglang.launch_server]\n",
    "compose.yaml": "services:\n  a:\n    image: x\n    command: python3 -m sglang.launch_server\n",
}
"""Lists whose options show how one is to be written; these have none."""


def launch_in(path: str, text: str) -> Launch:
    language = language_of(path)
    assert language is not None
    (launch,) = hosts.read(Document(path, text, language), Sources.none()).launches
    return launch


@pytest.mark.parametrize("path", BARE)
def test_the_option_becomes_the_first_word(path: str) -> None:
    launch = launch_in(path, BARE[path])
    assert launch.words == ()
    text = apply_edits(BARE[path], launch.editor.edits(launch, [AddOption("--tp-size", "2")]))
    assert [word.text for word in launch_in(path, text).words] == ["--tp-size", "2"]


@pytest.mark.parametrize("path", WITHOUT_PATTERN)
def test_where_no_option_shows_how_to_write_one_it_is_refused_with_a_reason(path: str) -> None:
    launch = launch_in(path, WITHOUT_PATTERN[path])
    with pytest.raises(CannotEdit, match="no certain option"):
        launch.editor.edits(launch, [AddOption("--tp-size", "2")])
