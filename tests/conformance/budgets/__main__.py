"""``python -m tests.conformance.budgets``: the three checks, every record by name."""

from __future__ import annotations

from .checks import CHECKS, report

for check in CHECKS:
    print(report(check), end="\n\n")
