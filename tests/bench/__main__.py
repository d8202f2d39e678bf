"""All benchmarks: ``python -m tests.bench``. They print figures and assert no times."""

from __future__ import annotations

import os

from . import completion, flags, notations, plans, reading, scan, server, startup, verdicts

if __name__ == "__main__":
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    startup.main()
    scan.main()
    reading.main()
    notations.main()
    flags.main()
    completion.main()
    verdicts.main()
    plans.main()
    server.main()
