"""Files that a script sources, and scripts of the user's that start the server."""

from __future__ import annotations

import pytest

from sglint import catalogue, hosts
from sglint.launch import CannotEdit, Reading, RemoveOption
from sglint.launch.argv import parse
from sglint.text import Document, Sources

LAUNCH = 'sglang serve --model-path m "${ARGS[@]}" --tp "$TP"\n'


def reading_of(files: dict[str, str], launchers: tuple[str, ...] = ()) -> tuple[Reading, Sources]:
    sources = Sources(files.get)
    return hosts.read(Document("d/run.sh", files["d/run.sh"], "shell"), sources, launchers), sources


@pytest.mark.parametrize(
    "line", ["source ./env.sh", ". env.sh", '. "$(dirname "$0")/env.sh"', 'source "${BASH_SOURCE%/*}/env.sh"']
)
def test_a_sourced_file_sets_variables_which_stand_at_its_name(line: str) -> None:
    text = f"{line}\n{LAUNCH}"
    reading, sources = reading_of(
        {"d/run.sh": text, "d/env.sh": "TP=4\nARGS=(--port 1)\nsglang serve --model-path n\n"}
    )
    (launch,) = reading.launches
    assert [word.text for word in launch.words] == ["--model-path", "m", "--port", "1", "--tp", "4"]
    assert "env.sh" in text[launch.words[2].span.start : launch.words[2].span.end]
    assert "d/env.sh" in sources.used
    (port,) = [option for option in parse(launch.words, catalogue.load("0.5.18")).options if option.written == "--port"]
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [RemoveOption(port.words)])


def test_files_that_source_each_other_or_are_missing_end() -> None:
    files = {
        "d/run.sh": "TP=2\n. a.sh\n. none.sh\n" + LAUNCH,
        "d/a.sh": ". b.sh\nA=1\n",
        "d/b.sh": ". a.sh\n. run.sh\nTP=3\n",
    }
    reading, sources = reading_of(files)
    assert [word.text for word in reading.launches[0].words][-1] == "3"
    assert sources.used == {"d/a.sh", "d/b.sh", "d/none.sh"}


@pytest.mark.parametrize("line", ["./start.sh --model-path m --tp 2", "exec bash bin/start.sh --model-path m --tp 2"])
def test_a_launcher_of_the_user_takes_the_servers_flags(line: str) -> None:
    reading, _ = reading_of({"d/run.sh": f"{line}\n"}, ("bin/start.sh",))
    (launch,) = reading.launches
    assert launch.launcher == "start.sh"
    assert [word.text for word in launch.words] == ["--model-path", "m", "--tp", "2"]
    assert reading_of({"d/run.sh": f"{line}\n"})[0].launches == ()
