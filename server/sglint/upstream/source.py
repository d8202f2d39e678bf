"""The Python files of one SGLang release, read from a wheel or an unpacked folder and never imported."""

from __future__ import annotations

import ast
import re
import zipfile
from functools import cached_property
from pathlib import Path

_NAMED = re.compile(r"sglang-(\d[^-]*?)(?:-|\.dist-info)")


class NotARelease(ValueError):
    """The path holds no SGLang release; the message says what was looked for."""


class ReleaseSource:
    """Modules of a release by dotted name. ``path`` is a wheel, or a folder that holds ``sglang/``.

    Raises :class:`NotARelease` when there is no such package.
    """

    def __init__(self, path: str | Path, release: str | None = None) -> None:
        self.path = Path(path)
        self._archive: zipfile.ZipFile | None = None
        if self.path.is_file():
            try:
                self._archive = zipfile.ZipFile(self.path)
            except zipfile.BadZipFile as error:
                raise NotARelease(f"not a wheel: {error}") from None
        elif self.path.name == "sglang" and (self.path / "srt").is_dir():
            self.path = self.path.parent
        self._trees: dict[str, ast.Module | None] = {}
        self._texts: dict[str, str] = {}
        if not self.exists("sglang/srt/server_args.py"):
            raise NotARelease(
                "it holds no sglang/srt/server_args.py" if self.path.exists() else "no such file or folder"
            )
        self.release = release or self._read_release()

    @cached_property
    def files(self) -> frozenset[str]:
        """Paths of all Python files of the package, relative to the folder that holds ``sglang/``."""
        if self._archive is not None:
            return frozenset(name for name in self._archive.namelist() if name.endswith(".py"))
        root = self.path / "sglang"
        return frozenset(str(file.relative_to(self.path).as_posix()) for file in root.rglob("*.py"))

    def exists(self, name: str) -> bool:
        if self._archive is not None:
            return name in self.files
        return (self.path / name).is_file()

    def text(self, name: str) -> str:
        """Text of a file by its path. Raises FileNotFoundError."""
        if name not in self._texts:
            if not self.exists(name):
                raise FileNotFoundError(name)
            data = self._archive.read(name) if self._archive is not None else (self.path / name).read_bytes()
            self._texts[name] = data.decode("utf-8", "replace")
        return self._texts[name]

    def file_of(self, module: str) -> str | None:
        """Path of a module's file; None when the release has no such module."""
        stem = module.replace(".", "/")
        return next((name for name in (f"{stem}.py", f"{stem}/__init__.py") if self.exists(name)), None)

    def tree(self, module: str) -> ast.Module | None:
        """Syntax tree of a module; None when there is none or this Python cannot read it."""
        if module not in self._trees:
            name = self.file_of(module)
            try:
                self._trees[module] = None if name is None else ast.parse(self.text(name))
            except SyntaxError:
                self._trees[module] = None
        return self._trees[module]

    def _read_release(self) -> str:
        names = [self.path.name]
        if self._archive is not None:
            names += [name.split("/")[0] for name in self._archive.namelist() if ".dist-info/" in name]
        elif self.path.is_dir():
            names += [folder.name for folder in self.path.glob("sglang-*.dist-info")]
        for name in names[::-1]:
            match = _NAMED.match(name)
            if match:
                return match[1]
        tree = self.tree("sglang.version")
        for node in tree.body if tree else ():
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                return str(node.value.value)
        raise NotARelease("its release number cannot be told; name it")
