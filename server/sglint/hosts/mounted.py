"""Scripts of ConfigMaps of the same file that a container has in its file system, by the paths it starts them under.

Source: the Kubernetes documentation on volumes (``configMap``, ``projected``, ``subPath``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .embedding import Embedding
from .scopes import Scope


def mounted_script(scope: Scope, path: str) -> Embedding | None:
    """The script that a container finds under ``path``; None where no ConfigMap at hand has it."""
    scripts = scope.tree.scripts
    if not scripts:
        return None
    path = posixpath.normpath(posixpath.join(scope.text("workingDir") or "/", path))
    for mount in scope.items("volumeMounts"):
        inside = _inside(mount, path)
        for volume in _volumes(scope, mount.text("name")) if inside is not None else ():
            found = scripts.get(volume.text("name") or "", {}).get(_key(volume, inside or ""))
            if found is not None:
                return found
    return None


def _inside(mount: Scope, path: str) -> str | None:
    """The path within the volume; None where the mount is another place."""
    folder, part = posixpath.normpath(mount.text("mountPath") or "//"), mount.text("subPath")
    if path == folder:
        return part
    if folder != "/" and not path.startswith(f"{folder}/"):
        return None
    inside = posixpath.relpath(path, folder)
    return inside if part is None else posixpath.join(part, inside)


def _volumes(scope: Scope, name: str | None) -> Iterator[Scope]:
    """The ConfigMaps of the volume of a name."""
    around = next((one for one in scope.outward() if one.get("volumes") is not None), None)
    for volume in around.items("volumes") if around is not None else ():
        if volume.text("name") != name:
            continue
        for holder in (volume, *volume.items("projected", "sources")):
            found = holder.get("configMap")
            if found is not None:
                yield Scope(scope.tree, found, "configMap", holder)


def _key(volume: Scope, path: str) -> str:
    """The ConfigMap's key that stands under a path of the volume."""
    chosen = [one for one in volume.items("items") if one.text("path") == path]
    return chosen[0].text("key") or "" if chosen else path
