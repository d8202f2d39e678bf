"""Ask a real Helm what the charts of ``chart_texts`` and ``chart_wild`` and the extraction cases render to, and keep
its answers or hold them to those kept.

``python -m tests.hosts.record_charts [--check] [--kubectl=KUBECTL] HELM``; ``make judge-charts HELM=... KUBECTL=...``
checks, then says how much of it SGLint is certain of.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from .chart_texts import ALL_CHARTS
from .chart_wild import OVER, WILD
from .extraction import CASES
from .kustomize_texts import FOLDERS
from .template_maker import VALUES, expressions

RECORD = Path(__file__).with_name("chart_argv.json")
EXPRESSIONS = Path(__file__).with_name("template_answers.json")
BUILT = Path(__file__).with_name("kustomize_argv.json")
COUNT = 500
ABOUT = {"Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n"}


def cases() -> dict[str, dict[str, str]]:
    """The charts of the extraction folder."""
    return {
        chart.parent.name: {
            file.relative_to(chart.parent).as_posix(): file.read_bytes().decode("utf-8")
            for file in sorted(chart.parent.rglob("*"))
            if file.is_file()
        }
        for chart in sorted(CASES.glob("*/Chart.yaml"))
    }


def charts() -> dict[str, dict[str, str]]:
    """All charts by name: the text of each file by its path in the chart."""
    return {**{name: {**ABOUT, **files} for name, files in {**ALL_CHARTS, **WILD}.items()}, **cases()}


def argv_of(manifest: Any) -> Iterator[list[str]]:
    """Name, ``command`` and ``args`` of every container in a manifest."""
    if isinstance(manifest, dict):
        if isinstance(manifest.get("command"), list):
            yield [str(word) for word in (manifest.get("name"), *manifest["command"], *(manifest.get("args") or []))]
        for value in manifest.values():
            yield from argv_of(value)
    elif isinstance(manifest, list):
        for value in manifest:
            yield from argv_of(value)


def rendered(helm: str, files: dict[str, str], over: str | None) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder, "chart")
        for name, text in files.items():
            path = chart / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        command = [helm, "template", "release", str(chart), *(("-f", str(chart / over)) if over else ())]
        # Case 133 needs two values that its chart leaves to the user.
        command += ["--set", "apiKey=k,image=x"] if "apiKey" in "".join(files.values()) else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"Helm refuses {files}: {done.stderr}")
    return sorted(argv for document in yaml.safe_load_all(done.stdout) for argv in argv_of(document))


def evaluated(helm: str, wanted: list[str]) -> dict[str, str]:
    """What Helm prints for template expressions; without those it refuses, which it names by their lines."""
    left = list(wanted)
    while True:
        text = "".join(f"{number}: {{{{ print ({one}) | toJson }}}}\n" for number, one in enumerate(left))
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {**ABOUT, "values.yaml": VALUES, "templates/x.yaml": text}.items():
                path = Path(folder, "chart", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            done = subprocess.run(
                [helm, "template", "release", f"{folder}/chart"], capture_output=True, text=True, check=False
            )
        if done.returncode == 0:
            answers = yaml.safe_load(done.stdout)
            return {one: answers[number] for number, one in enumerate(left)}
        line = re.search(r"templates/x\.yaml:(\d+)", done.stderr)
        if line is None:
            raise SystemExit(f"Helm refuses the expressions: {done.stderr}")
        del left[int(line[1]) - 1]


def built(kubectl: str, files: dict[str, str]) -> list[list[str]]:
    """Image and argv of the containers that the folder ``over`` builds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([kubectl, "kustomize", f"{folder}/over"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"Kustomize refuses {files}: {done.stderr}")
    manifests = [one for one in yaml.safe_load_all(done.stdout) if one is not None]
    maps = {one["metadata"]["name"]: one.get("data", {}) for one in manifests if one["kind"] == "ConfigMap"}
    return sorted([image, *argv] for manifest in manifests for image, argv in images_of(manifest, maps))


Maps = dict[str, dict[str, str]]


def images_of(manifest: Any, maps: Maps) -> Iterator[tuple[str, list[str]]]:
    """Images of containers, and what a kubelet makes of their argv with the ConfigMaps ``maps``."""
    if isinstance(manifest, dict):
        if "image" in manifest:
            env = environment(manifest, maps)
            for name, *argv in argv_of(manifest):
                yield manifest["image"], [name, *(expanded(word, env) for word in argv)]
        else:
            yield from (found for value in manifest.values() for found in images_of(value, maps))
    elif isinstance(manifest, list):
        yield from (found for value in manifest for found in images_of(value, maps))


def environment(container: dict[str, Any], maps: Maps) -> dict[str, str]:
    found: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        name = source.get("configMapRef", {}).get("name", "")
        found.update({source.get("prefix", "") + key: value for key, value in maps.get(name, {}).items()})
    for variable in container.get("env", ()):
        wanted = variable.get("valueFrom", {}).get("configMapKeyRef", {})
        value = maps.get(wanted.get("name", ""), {}).get(wanted.get("key", ""))
        value = variable.get("value", value)
        if value is not None:
            found[variable["name"]] = expanded(value, found)
    return found


def expanded(text: str, env: dict[str, str]) -> str:
    return re.sub(r"\$\$|\$\(([^()]+)\)", lambda use: env.get(use[1], use[0]) if use[1] else "$", text)


def check_kustomize(kubectl: str | None, *, record: bool) -> bool:
    """Whether what is kept of kustomizations is still right."""
    if kubectl is None or shutil.which(kubectl) is None:
        print("no kubectl beside Helm: go by the answers that are kept")
        return True
    answers = {name: built(kubectl, files) for name, files in FOLDERS.items()}
    if record:
        BUILT.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    same: bool = answers == json.loads(BUILT.read_text(encoding="utf-8"))
    print(f"{len(answers)} kustomizations {'build what is kept' if same else 'build other things than what is kept'}")
    return same


def main() -> int:
    *options, helm = sys.argv[1:]
    kubectl = next((option.partition("=")[2] for option in options if option.startswith("--kubectl=")), None)
    options = [option for option in options if not option.startswith("--kubectl=")]
    if shutil.which(helm) is None:
        print(f"no Helm at {helm}: name one, or go by the answers that are kept")
        return 2
    answers = {name: rendered(helm, files, OVER.get(name)) for name, files in charts().items()}
    values = evaluated(helm, expressions(COUNT, seed=COUNT))
    if options != ["--check"]:
        check_kustomize(kubectl, record=True)
        EXPRESSIONS.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        RECORD.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    other = [name for name, argv in answers.items() if kept.get(name) != argv]
    for name in other:
        print(f"{name}: Helm renders {answers[name]}, kept is {kept.get(name)}")
    print(f"{len(answers) - len(other)} of {len(answers)} charts render to what is kept")
    differ = values != json.loads(EXPRESSIONS.read_text(encoding="utf-8"))
    print(f"{len(values)} expressions {'differ from' if differ else 'give'} what is kept")
    differ = not check_kustomize(kubectl, record=False) or differ
    from .test_helm_judge import certainty

    print(certainty())
    return 1 if other or differ else 0


if __name__ == "__main__":
    sys.exit(main())
