"""The one door: a document to a report, a command line to a verdict, a text to its fixed text."""

from .engine import lint
from .fixing import fix_text
from .verdict import verdict_of

__all__ = ["fix_text", "lint", "verdict_of"]
