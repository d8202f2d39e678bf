"""``launchers`` of the configuration: files that name nothing but a launcher of the user's are read."""

from __future__ import annotations

import pytest

from .conftest import Cli

SETTINGS = 'launchers = ["tools/start.sh", "ours.serve"]\n'
FILES = {
    "a/run.sh": "./tools/start.sh --tpsize 2\n",
    "a/pod.yaml": "kind: Pod\napiVersion: v1\nspec:\n  containers:\n    - name: x\n      command: [/opt/start.sh]\n"
    "      args: [--tpsize, '2']\n",
    "a/serve.py": "import subprocess\nsubprocess.run(['python', '-m', 'ours.serve', '--tpsize', '2'])\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_scan_finds_files_with_nothing_but_an_own_launcher(cli: Cli, name: str) -> None:
    cli.write(name, FILES[name])
    assert cli("check").code == 0
    cli.write("sglint.toml", SETTINGS)
    found = cli("check", "--format", "json").json
    errors = [(item["path"], item["code"]) for item in found["findings"] if item["severity"] == "error"]
    # What else the script gives the server, as its model, is its own business.
    assert errors == [(name, "SGL020")]
    (launch,) = found["launches"]
    assert launch["launcher"] in ("start.sh", "ours.serve")
    assert name in cli("launches").out


def test_standard_input_and_one_folder_s_settings(cli: Cli) -> None:
    cli.write("a/sglint.toml", SETTINGS)
    text = FILES["a/run.sh"].encode()
    assert cli("check", "--stdin-filename", "a/run.sh", "-", stdin=text).code == 1
    assert cli("check", "--stdin-filename", "b/run.sh", "-", stdin=text).code == 0
