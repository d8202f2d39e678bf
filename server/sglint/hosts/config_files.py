"""Launches that name a ``--config`` file get its words, where the file is in the same document or beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from ..launch.model import CannotEdit, Change, Editor, Launch, Reading
from ..records import dataclass, replace
from ..text import Document, Edit, Sources
from .edit_words import changed_words

FLAG = "--config"


def with_config_files(reading: Reading, sources: Sources) -> Reading:
    """``reading`` with each launch completed by the file that its ``--config`` names, if one is found."""
    if FLAG not in reading.document.text:
        return reading
    launches = list(reading.launches)
    for index, launch in enumerate(launches):
        file = _in_document(launch, launches)
        if file is not None:
            at = next(place for place, other in enumerate(launches) if other is file)
            launches[at] = replace(_evidence_of(file, launch), is_read=True)
        else:
            file = _beside(launch, reading.document, sources)
        if file is not None:
            editor = _Editor(launch.editor, file)
            launches[index] = replace(launch, config=file.words, merging=file.merging, editor=editor)
    return replace(reading, launches=tuple(launches))


def _in_document(launch: Launch, launches: Sequence[Launch]) -> Launch | None:
    """The file by its name in a ConfigMap; none where several have it."""
    named = [other for other in launches if launch.names_config(other)]
    return named[0] if len(named) == 1 else None


def _evidence_of(file: Launch, user: Launch) -> Launch:
    """A ``--config`` file runs on the release of the container that names it."""
    if file.release is not None:
        return file
    return replace(file, release=user.release, gpu=user.gpu, gpu_count=user.gpu_count)


def _beside(launch: Launch, document: Document, sources: Sources) -> Launch | None:
    """The file where the path leads from the document's folder, else one of its name in that folder."""
    named = [path for flag, path in pairwise(launch.words) if flag.text == FLAG]
    written = named[0].text if len(named) == 1 else None
    if written is None or named[0].presence != "yes":
        return None
    home, path = PurePosixPath(document.path.replace("\\", "/")).parent, PurePosixPath(written)
    for place in dict.fromkeys((*(() if path.is_absolute() else (home / path,)), home / path.name)):
        text = sources.text(str(place))
        if text is not None and path.suffix.lower() in (".yaml", ".yml"):
            from . import yaml_host

            release = launch.release.value if launch.release is not None else None
            return yaml_host.read_config(Document(str(place), text, "yaml"), release)
    return None


@dataclass(frozen=True)
class _Editor:
    """Edits of a launch in its own notation, of options from its ``--config`` file in that file."""

    own: Editor
    file: Launch

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        in_file = {id(word) for word in launch.config or ()}
        there = [change for change in changes if any(id(word) in in_file for word in changed_words(change))]
        for change in there:
            if any(id(word) not in in_file for word in changed_words(change)):
                raise CannotEdit("the option stands partly in the `--config` file")
        here = [change for change in changes if all(change is not other for other in there)]
        found = list(self.own.edits(launch, here)) if here else []
        path = next((word.path for word in self.file.words), None)
        for edit in self.file.editor.edits(self.file, there) if there else ():
            found.append(edit if edit.path is not None else replace(edit, path=path))
        return tuple(found)
