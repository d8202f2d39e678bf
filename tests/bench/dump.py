"""A cluster of 20,000 objects in 200 MB of files: time, lines a second and memory of ``check --cluster-dump``.

``python -m tests.bench.dump``. One object in fifty starts an SGLang server; most of those are copies of a Deployment.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .fleet import measured
from .measure import sglint

OBJECTS = 20_000
BYTES = 200_000_000
PODS = 8
"""Of a Deployment, with the ReplicaSet that made them."""

FLAGS = ["--model-path=openai/gpt-oss-120b", "--enable-unified-memory", "--speculative-algorithm=DSPARK"]


def objects(count: int, size: int) -> Iterator[dict[str, Any]]:
    """Pods and Secrets of ``size`` bytes or so; every 500th begins a fleet of ten that serve a model."""
    filler = {f"app.example.com/annotation-{line:03}": "x" * 40 for line in range(size // 100)}
    for number in range(count):
        namespace = f"team-{number % 50}"
        fleet, place = divmod(number, 500)
        metadata: dict[str, Any] = {"annotations": filler, "name": f"app-{number}", "namespace": namespace}
        kind, owner, container = "Pod", None, {"name": "app", "image": "registry/app:1", "args": ["serve"]}
        if place < PODS + 2:
            container = {"name": "server", "image": "lmsysorg/sglang:v0.5.18", "args": FLAGS}
            container["command"] = ["python3", "-m", "sglang.launch_server"]
            metadata["namespace"] = f"team-{fleet % 50}"
            metadata["name"] = name = f"llm-{fleet}"
            kind = ("Deployment", "ReplicaSet", "Pod")[min(place, 2)]
            if place:
                owner = ("ReplicaSet", f"{name}-5d4f8c") if place > 1 else ("Deployment", name)
                metadata["name"] = f"{name}-5d4f8c" if place == 1 else f"{name}-5d4f8c-{place}"
        if owner:
            reference = {"apiVersion": "apps/v1", "controller": True, "kind": owner[0], "name": owner[1]}
            metadata["ownerReferences"] = [reference]
        spec = {"containers": [container]}
        body = spec if kind == "Pod" else {"template": {"spec": spec}}
        yield {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": body}


def write_json(path: Path, count: int, size: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [\n        ')
        for number, one in enumerate(objects(count, size)):
            file.write(",\n        " if number else "")
            file.write(json.dumps(one, indent=4).replace("\n", "\n        "))
        file.write('\n    ],\n    "kind": "List"\n}\n')


def write_yaml(path: Path, count: int, size: int) -> None:
    """As kubectl writes it, without a writer of YAML: the annotations are most of it."""
    with path.open("w", encoding="utf-8") as file:
        file.write("apiVersion: v1\nitems:\n")
        for one in objects(count, size):
            metadata = one["metadata"]
            annotations = "".join(f"      {key}: {value}\n" for key, value in metadata["annotations"].items())
            rest = {key: value for key, value in metadata.items() if key not in ("annotations", "name", "namespace")}
            owners = "".join(
                "    ownerReferences:\n    - apiVersion: apps/v1\n      controller: true\n"
                f"      kind: {owner['kind']}\n      name: {owner['name']}\n"
                for owner in rest.get("ownerReferences", ())
            )
            file.write(
                f"- apiVersion: v1\n  kind: {one['kind']}\n  metadata:\n    annotations:\n{annotations}"
                f"    name: {metadata['name']}\n    namespace: {metadata['namespace']}\n{owners}"
                f"  spec: {json.dumps(one['spec'])}\n"
            )
        file.write('kind: List\nmetadata:\n  resourceVersion: ""\n')


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for notation, write in (("JSON", write_json), ("YAML", write_yaml)):
            folder = Path(name) / notation
            folder.mkdir()
            path = folder / f"all.{notation.lower()}"
            write(path, OBJECTS, BYTES // OBJECTS)
            with path.open("rb") as file:
                lines = sum(stretch.count(b"\n") for stretch in iter(lambda: file.read(1 << 20), b""))
            size = path.stat().st_size / 1e6
            for jobs in (1, 2):
                command = sglint("check", "--cluster-dump", str(folder), "--fail-on", "never", "-q", "-j", str(jobs))
                wall, cpu, peak = measured(command, folder)
                print(
                    f"  {notation}, {OBJECTS:,} objects, {size:.0f} MB, {lines:,} lines, -j {jobs}: {wall:.1f} s, "
                    f"CPU {cpu:.1f} s, {lines / cpu:,.0f} lines a second of CPU, {peak:.0f} MiB"
                )
    print(f"  load {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
