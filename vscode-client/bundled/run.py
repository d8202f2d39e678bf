"""Starts the server that comes with the extension, from the libraries beside this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("libs")))

from sglint.__main__ import main

sys.exit(main())
