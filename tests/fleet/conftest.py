"""A repository, a cluster's dump, and a local Ray for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from ..cli.conftest import Cli, cli
from ..cli.launches import CLEAN, DEPLOYMENT, SCRIPT

__all__ = ["cli"]

collect_ignore = [] if find_spec("ray") else ["test_machines.py", "test_ray.py"]
"""`make ray` installs the library and fails when no test is found."""

WORKERS = 2


@pytest.fixture(scope="session")
def local_ray() -> Iterator[None]:
    import ray

    ray.init(address="local", num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.fixture
def fleet(cli: Cli, local_ray: None) -> Cli:
    """Files of every kind, with settings of their own, a chart, and a configuration with a mistake."""
    for number in range(6):
        cli.write(f"team-{number}/a.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
        cli.write(f"team-{number}/b.sh", CLEAN)
        cli.write(f"team-{number}/c.sh", SCRIPT)
    cli.write("team-1/sglint.toml", 'releese = "0.5.18"\n')
    cli.write("team-2/sglint.toml", 'ignore = ["SGL101"]\n')
    cli.write("team-3/d.sh", "source ./common.sh\n" + SCRIPT.replace("openai/gpt-oss-120b", "$MODEL"))
    cli.write("team-3/common.sh", "MODEL=openai/gpt-oss-120b\n")
    cli.write("chart/Chart.yaml", "name: chart\nversion: 1.0.0\n")
    cli.write("chart/values.yaml", "extra: [--tp-size=2, --no-such-flag]\n")
    cli.write(
        "chart/templates/deployment.yaml",
        DEPLOYMENT.replace(
            "            - --enable-unified",
            "            {{- toYaml .Values.extra | nindent 12 }}\n            - --enable-unified",
        ),
    )
    return cli
