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
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBS = HERE / "bundled" / "libs"
OLDEST, *NEWER = ("3.10", "3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "linux-x64": ("manylinux2014_x86_64", "manylinux_2_28_x86_64"),
    "linux-arm64": ("manylinux2014_aarch64", "manylinux_2_28_aarch64"),
    "darwin-x64": ("macosx_11_0_x86_64",),
    "darwin-arm64": ("macosx_11_0_arm64",),
    "win32-x64": ("win_amd64",),
}
# Types and sources of compiled modules; and tomli's compiled twins, whose Python originals are beside them.
NEEDLESS = ("*__mypyc.*.so", "*__mypyc.*.pyd", "tomli/*.so", "tomli/*.pyd", "**/*.pyi", "**/*.c", "**/*.h")
# pip judges conditions on the Python version by the one it runs on, so what only the oldest needs is named.
ALSO = ("exceptiongroup", "typing-extensions")
UNCOMPILED = "-py3-none-any.whl"


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
        _download(wheels, target, OLDEST, str(own), *ALSO)
        compiled = sorted(_compiled(wheels))
        for version in NEWER:
            _download(wheels, target, version, "--no-deps", *compiled)
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(LIBS)
    for pattern in NEEDLESS:
        for file in LIBS.glob(pattern):
            file.unlink()
    _strip()
    lacking = [f"{stem}.{part}*" for stem, part in _expected(target) if not any(LIBS.glob(f"{stem}.{part}*"))]
    if lacking:
        sys.exit(f"the bundle for {target} lacks {', '.join(lacking)}")


def _expected(target: str) -> Iterator[tuple[str, str]]:
    """Compiled modules, and how their file names go on, that a bundle must have."""
    suffix = ".pyd" if target.startswith("win32") else ".so"
    for stem in ("yaml/_yaml", "tree_sitter/_binding"):
        for version in (OLDEST, *NEWER):
            tag = version.replace(".", "")
            yield stem, f"cp{tag}-" if suffix == ".pyd" else f"cpython-{tag}-"
    yield "tree_sitter_bash/_binding", "pyd" if suffix == ".pyd" else "abi3.so"


def _strip() -> None:
    """Debugging symbols are most of the compiled modules. What this machine's tools do not know stays as it is."""
    tools = [tool for name in ("strip", "aarch64-linux-gnu-strip") if (tool := shutil.which(name))]
    for module in LIBS.glob("**/*.so"):
        for tool in tools:
            subprocess.run([tool, "--strip-debug", str(module)], stderr=subprocess.DEVNULL, check=False)


def _compiled(wheels: Path) -> Iterator[str]:
    """Requirements for the same versions of what is there compiled for one Python version only."""
    for wheel in wheels.glob("*.whl"):
        name, version, _ = wheel.name.split("-", 2)
        if not wheel.name.endswith(UNCOMPILED) and "-abi3-" not in wheel.name and name != "tomli":
            yield f"{name}=={version}"


def _download(wheels: Path, target: str, version: str, *what: str) -> None:
    choice = [word for platform in PLATFORMS[target] for word in ("--platform", platform)]
    only = ("--only-binary", ":all:", "--python-version", version)
    _pip("download", "--dest", str(wheels), "--find-links", str(wheels), *only, *choice, *what)


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", *words], check=True)


if __name__ == "__main__":
    main()
