"""Which files a command line names; the walk itself is shared with the language server."""

from __future__ import annotations

from ..discovery import Candidate, NoSuchPath, candidates, language_at, reason_of

__all__ = ["Candidate", "NoSuchPath", "candidates", "language_at", "reason_of"]
