"""Services of a compose file that ``extends`` others, of the same file or of another one.

Source: the Compose specification, ``extends``: mappings are merged, ``command`` and ``entrypoint`` are replaced.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from ..launch.model import Launch, Reading
from ..records import replace
from ..text import Document, Sources
from . import yaml_documents
from .completion import completed, evidence_there, image_there, word_there
from .scopes import Scope
from .surroundings import surroundings
from .yaml_tree import Item, Tree

_MAX_FILES = 5
_MAX_CHAIN = 50
"""Services that extend one another, one behind the other."""


def with_extended(
    reading: Reading, sources: Sources, depth: int = 0, known: dict[str, Sequence[Launch]] | None = None
) -> Reading:
    """``reading`` of a compose file with what its services take from those they extend.

    ``known`` are the launches of other files that were read already.
    """
    document = reading.document
    if "extends" not in document.text or "services" not in document.text or depth > _MAX_FILES:
        return reading
    services = {service.key: service for service in _services(document.text, None)}
    extender = _Extender(document, sources, depth, services, list(reading.launches), {} if known is None else known)
    for name in services:
        extender.extend(name)
    return replace(reading, launches=tuple(sorted(extender.launches, key=lambda launch: launch.span.start)))


def _services(text: str, path: str | None) -> Iterator[Scope]:
    for chunk in yaml_documents.chunks(text):
        composed = yaml_documents.compose(chunk.text)
        if composed.root is None or composed.root.id != "mapping":
            continue
        tree = Tree(chunk.text, chunk.base, composed.root, path=path)
        services = tree.get(tree.top, "services")
        around = Scope(tree, services, "services", Scope(tree, Item(composed.root))) if services else None
        for entry in tree.entries(services) if services else ():
            if entry.value.kind == "mapping":
                yield Scope(tree, entry.value, entry.key, around)


class _Extender:
    """Completes the launches of one file, each after those it builds on."""

    def __init__(
        self,
        document: Document,
        sources: Sources,
        depth: int,
        services: Mapping[str, Scope],
        launches: list[Launch],
        known: dict[str, Sequence[Launch]],
    ) -> None:
        self.launches = launches
        self._document = document
        self._sources = sources
        self._depth = depth
        self._services = services
        self._known = known
        self._met: set[str] = set()
        self._chain = 0

    def extend(self, name: str) -> None:
        """Complete the launch of a service, or make the one that it takes over as a whole."""
        service = self._services.get(name)
        if service is None or name in self._met or service.get("extends") is None or self._chain > _MAX_CHAIN:
            return
        self._met.add(name)
        self._chain += 1
        found = self._base(service)
        self._chain -= 1
        if found is None:
            return
        path, base, scope = found
        own = next((at for at, launch in enumerate(self.launches) if launch.container == name), None)
        if own is not None:
            self.launches[own] = completed(self.launches[own], base, scope, "command", path)
        elif all(service.get(key) is None for key in ("command", "entrypoint")):
            self.launches.append(_taken_over(service, base, path))

    def _base(self, service: Scope) -> tuple[str | None, Launch, Scope] | None:
        """The file (None: this one), the launch and the mapping of the service that this one extends."""
        name = service.text("extends") or service.text("extends", "service")
        file = service.text("extends", "file")
        home = self._document.path
        path = home if file is None else posixpath.normpath(posixpath.join(posixpath.dirname(home), file))
        if name is None:
            return None
        if path == home:
            self.extend(name)
            return _chosen(name, None, self.launches, self._services.get(name))
        text = self._sources.text(path)
        if text is None:
            return None
        scope = next((one for one in _services(text, path) if one.key == name), None)
        return _chosen(name, path, self._read(path, text), scope)

    def _read(self, path: str, text: str) -> Sequence[Launch]:
        from . import yaml_host

        if path not in self._known:
            # A file that is being read is one with nothing to take from.
            self._known[path] = ()
            reading = yaml_host.read(Document(path, text, "yaml"), self._sources)
            self._known[path] = with_extended(reading, self._sources, self._depth + 1, self._known).launches
        return self._known[path]


def _chosen(
    name: str, path: str | None, launches: Sequence[Launch], scope: Scope | None
) -> tuple[str | None, Launch, Scope] | None:
    base = next((launch for launch in launches if launch.container == name), None)
    return None if base is None or scope is None else (path, base, scope)


def _taken_over(service: Scope, base: Launch, path: str | None) -> Launch:
    """The launch of a service without words of its own, placed at its ``extends``."""
    extends = service.get("extends")
    assert extends is not None
    start, end = extends.node.start_mark.index, extends.node.end_mark.index
    found = surroundings(service)
    env = {variable.name: variable for variable in (*base.env, *found.environment.values())}
    return replace(
        base,
        span=service.tree.place(start, end),
        launcher_span=None if path is not None else base.launcher_span,
        words=tuple(word_there(word, path) for word in base.words),
        env=tuple(env.values()),
        image=found.image or image_there(base.image, path),
        release=found.release or evidence_there(base.release, path),
        gpu=found.gpu or evidence_there(base.gpu, path),
        gpu_count=found.gpu_count or evidence_there(base.gpu_count, path),
        container=service.key,
        structure=service.path(),
    )
