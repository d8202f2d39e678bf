"""A wheel carries the compiled rules; a checkout reads the files. Both hold the same."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOW = """
import json
from sglint import rules
loaded = rules.load()
print(json.dumps({
    "from": rules.__file__,
    "rules": {rule.code: [rule.name, len(rule.cases), rule.releases, rule.explanation] for rule in loaded.rules},
    "examples": {code: len(examples) for code, examples in sorted(loaded.examples.items())},
}))
"""


def shown(path: Path) -> dict[str, object]:
    script = f"import sys; sys.path.insert(0, {str(path)!r})\n{SHOW}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel of this checkout, built as packaging tools build it, without network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("server", "rules"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md"):
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, source / name)
    build = f"from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_wheel_and_checkout_hold_the_same_rules(installed: Path) -> None:
    wheel, checkout = shown(installed), shown(ROOT / "server")
    assert str(wheel["from"]).startswith(str(installed))
    assert wheel["rules"] == checkout["rules"]
    assert wheel["examples"] == checkout["examples"]
    assert len(wheel["rules"]) > 20  # type: ignore[arg-type]


def test_a_wheel_parses_no_rule_file(installed: Path) -> None:
    assert (installed / "sglint" / "_rules" / "bundle.json").is_file()
    show = "from sglint import rules; rules.load(); print(*sys.modules)"
    script = f"import sys; sys.path.insert(0, {str(installed)!r}); {show}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "sglint.rules.bundle" in loaded
    assert loaded & {"sglint.toml", "sglint.rules.source", "sglint.rules.grammar"} == set()


def test_a_wheel_carries_catalogue_models_and_hardware(installed: Path) -> None:
    data = installed / "sglint" / "_rules"
    assert list((data / "flags").iterdir())
    assert list((data / "models").iterdir())
    assert list((data / "hardware").glob("*.tsv"))
