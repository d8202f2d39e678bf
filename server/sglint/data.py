"""Where the data that SGLint ships (rule files, flag catalogue, model and hardware registries) is found."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def rules_dir() -> Path:
    """The folder of rule and registry files: inside an installed wheel, else at the root of the checkout.

    Raises FileNotFoundError when the installation has neither.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_rules", package.parents[1] / "rules"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("the rule files of this installation of sglint are missing; install it again")
