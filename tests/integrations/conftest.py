"""The package that carries the published schemas needs Python 3.11."""

from __future__ import annotations

import sys

collect_ignore = [] if sys.version_info >= (3, 11) else ["test_schemas.py"]
