"""README and first pages followed to the letter: ``python -m tests.docs.fresh FOLDER``, or ``make fresh``.

A clone of this repository in FOLDER, which must not exist, an empty home, no variables of this environment. Then the
steps of the integrations that install something: the action's, those of the image's recipe without a container, and
pre-commit.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

from .consoles import agrees, commands

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/start.md")
LATER = ("make test",)
"""What takes half an hour, and is what CI runs."""

HOOKS = ("sglint", "sglint-fix")

KEPT = ("PATH", "LANG", "SSL_CERT_FILE", "PIP_INDEX_URL", "PIP_CONFIG_FILE")


def run(words: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and standard output of a command, told with its time."""
    start = time.monotonic()
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(f"{done.returncode}  {time.monotonic() - start:6.1f} s  {words.strip().splitlines()[0]}", flush=True)
    return done.returncode, done.stdout


def follow(page: str, clone: Path, environment: dict[str, str]) -> list[str]:
    """The commands of a page that did not do what it says."""
    wrong = []
    # A page may show what it is about before it says how to install it.
    for command in sorted(commands(clone / page, clone), key=lambda command: command.words.startswith("sglint")):
        if command.words in LATER:
            continue
        code, out = run(command.words, clone, environment)
        if code not in (0, 1) or (command.shown and not agrees(out.splitlines(), command.shown)):
            wrong.append(f"{command}: `{command.words}` left with {code} and printed\n{out}")
    return wrong


def act(clone: Path, environment: dict[str, str]) -> list[str]:
    """The steps of the action, as a runner would run them on the demo."""
    action = yaml.safe_load((clone / "action.yml").read_text(encoding="utf-8"))
    given = {name: str(told["default"]) for name, told in action["inputs"].items()}
    given |= {"paths": "demo", "sarif": "out.sarif"}
    runner = {**environment, "RUNNER_TEMP": str(clone.parent / "runner")}
    codes = []
    for step in action["runs"]["steps"]:
        variables = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value).replace(
                "${{ github.action_path }}", str(clone)
            )
            for name, value in step["env"].items()
        }
        codes.append(run(step["run"], clone, {**runner, **variables})[0])
    return [] if codes == [0, 1] and (clone / "out.sarif").is_file() else [f"the action's steps left with {codes}"]


def build(clone: Path, environment: dict[str, str]) -> list[str]:
    """What the image's recipe copies and runs, in a folder instead of a container; the image's program must work."""
    recipe = (clone / "integrations" / "docker" / "Dockerfile").read_text(encoding="utf-8")
    source, target = clone.parent / "src", clone.parent / "opt"
    source.mkdir()
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE):
        for name in line.split():
            copy = shutil.copytree if (clone / name).is_dir() else shutil.copy
            copy(clone / name, source / name)
    for step in re.findall(r"^RUN (.*(?:\n .*)*)", recipe, re.MULTILINE):
        words = step.replace("\\\n", "").replace("python -m venv", "python3 -m venv")
        code, _ = run(words.replace("/opt/sglint", str(target)).replace("/src", str(source)), source, environment)
        if code:
            return [f"the image's step left with {code}: {step}"]
    code, out = run(f"{target}/bin/sglint check --quiet {clone}/demo", clone.parent, environment)
    return [] if code == 1 and "SGL101" in out else [f"the image's program left with {code}"]


def hook(clone: Path, environment: dict[str, str]) -> list[str]:
    """pre-commit itself in a repository that names the clone: one hook finds, the other mends."""
    project = clone.parent / "project"
    project.mkdir()
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True
    ).stdout
    configuration = {
        "repos": [{"repo": str(clone), "rev": revision.strip(), "hooks": [{"id": name} for name in HOOKS]}]
    }
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    shutil.copy(clone / "demo" / "k8s" / "gpt-oss-120b.yaml", project)
    script = "python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tensor-parallel-siz 2\n"
    (project / "start.sh").write_text(script, encoding="utf-8")
    tool = clone.parent / "pre-commit"
    install = f"python3 -m venv {tool} && {tool}/bin/python -m pip install --quiet pre-commit"
    code, _ = run(f"{install} && git init --quiet && git add .", project, environment)
    if code:
        return ["pre-commit could not be installed"]
    code, out = run(f"{tool}/bin/pre-commit run --all-files", project, environment)
    mended = "--tensor-parallel-size 2" in (project / "start.sh").read_text(encoding="utf-8")
    return [] if code == 1 and "error[SGL101]" in out and mended else [f"pre-commit left with {code}:\n{out}"]


def main(folder: Path) -> int:
    folder.mkdir(parents=True)
    clone, home = folder / "sglint", folder / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    wrong = []
    for page in PAGES:
        # The page says so: from its installation on, `sglint` is on the path.
        environment["PATH"] = f"{clone}/.venv/bin:{os.environ['PATH']}"
        wrong += follow(page, clone, environment)
    environment["PATH"] = os.environ["PATH"]
    wrong += act(clone, environment) + build(clone, environment) + hook(clone, environment)
    print("\n".join(wrong) or "every command does what its page says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
