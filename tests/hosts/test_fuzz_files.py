"""Half-typed files that launches are spread over: never a fault of ours, whatever the other files hold."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import hosts
from sglint.text import Document, Sources

from .chart_texts import ALL_CHARTS
from .mangling import check, mangled
from .test_compose_extends import COMMON
from .test_config_files import MANIFEST, SERVE, script
from .test_fuzz_yaml import PIECES
from .test_kustomize import BASE, IMAGES, PATCH, PATCHES

EXTENDING = "services:\n  big:\n    extends: {file: common.yml, service: base}\n  b: {extends: big, image: sglang}\n"
SETS = (
    {"base.yaml": BASE, "patch.yaml": PATCH, "kustomization.yaml": PATCHES},
    {"base.yaml": BASE, "kustomization.yaml": IMAGES},
    {"compose.yaml": EXTENDING, "common.yml": COMMON},
    {"run.sh": script("serve.yaml"), "serve.yaml": SERVE},
    {"pod.yaml": MANIFEST},
)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.sampled_from(SETS), st.data())
def test_mangled_files_beside_a_file_are_read_without_a_fault(files: dict[str, str], data: st.DataObject) -> None:
    broken = {name: data.draw(mangled([text], PIECES)) for name, text in files.items()}
    for name, text in broken.items():
        language = "shell" if name.endswith(".sh") else "yaml"
        check(hosts.read(Document(name, text, language), Sources(broken.get)), text)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.sampled_from(sorted(ALL_CHARTS)), st.data())
def test_mangled_values_are_read_without_a_fault(chart: str, data: st.DataObject) -> None:
    files = {f"chart/{path}": text for path, text in {**ALL_CHARTS[chart], "Chart.yaml": "name: chart\n"}.items()}
    values = data.draw(mangled([files.get("chart/values.yaml", "a: 1\n")], PIECES))

    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")})

    for path in ("chart/values.yaml", "chart/values-x.yaml"):
        known = {**files, path: values}
        check(hosts.read(Document(path, values, "yaml"), Sources(known.get, names=names)), values)
