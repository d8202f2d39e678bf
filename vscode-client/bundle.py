"""Puts SGLint and what it needs into ``bundled/libs``, for every Python the extension supports on one platform.

Compiled modules carry the Python version in their file names, so one folder serves all versions; it does not serve
two platforms, because some names say only ``abi3``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBS = HERE / "bundled" / "libs"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PLATFORMS = {"linux-x64": ("manylinux2014_x86_64", "manylinux_2_28_x86_64", "any")}
# Types and sources of compiled modules; and tomli's compiled twins, whose Python originals are beside them.
NEEDLESS = ("*__mypyc.*.so", "tomli/*.so", "**/*.pyi", "**/*.c")
# pip judges conditions on the Python version by the one it runs on, so what only the oldest needs is named.
ALSO = ("exceptiongroup", "typing-extensions")


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "linux-x64"
    if target not in PLATFORMS:
        sys.exit(f"no platform {target!r}; known are {', '.join(PLATFORMS)}")
    shutil.rmtree(LIBS, ignore_errors=True)
    LIBS.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder)
        _pip("wheel", "--no-deps", "--wheel-dir", str(wheels), str(HERE.parent))
        own = next(wheels.glob("sglint-*.whl"))
        for version in PYTHONS:
            _download(own, wheels, version, PLATFORMS[target])
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(LIBS)
    for pattern in NEEDLESS:
        for file in LIBS.glob(pattern):
            file.unlink()


def _download(own: Path, wheels: Path, version: str, platforms: tuple[str, ...]) -> None:
    choice = [word for platform in platforms for word in ("--platform", platform)]
    only = ("--only-binary", ":all:", "--python-version", version)
    _pip("download", "--dest", str(wheels), "--find-links", str(wheels), *only, *choice, str(own), *ALSO)


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words], check=True)


if __name__ == "__main__":
    main()
