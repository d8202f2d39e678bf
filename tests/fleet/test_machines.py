"""A cluster of several machines, here as processes of one: reached by its address, and one of them lost on the way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from ray.cluster_utils import Cluster

from ..cli.conftest import Cli
from ..cli.launches import DEPLOYMENT

pytestmark = pytest.mark.ray

SERVER = Path(__file__).parents[2] / "server"

LOSING = """
import os, signal, sys, time
from sglint.cli import app, ray
really, mark, connected = ray._lint_there, sys.argv[1], ray._connect

def connect(library, address, jobs):
    connected(library, address, jobs)
    ray._lint_there = losing(library.get_runtime_context().get_node_id())

def losing(home):
    def lint_there(given, handful):
        import ray as library
        if library.get_runtime_context().get_node_id() == home:
            while not os.path.exists(mark):
                time.sleep(0.02)
            return really(given, handful)
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return really(given, handful)
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    return lint_there

ray._connect = connect
sys.exit(app.run(sys.argv[2:]))
"""
"""The first worker on another machine than the driver's takes that machine's daemon along, which is the end of the
machine for the cluster. Workers beside the driver wait for it, since they could do everything themselves."""


PROMPT = {
    "health_check_initial_delay_ms": 500,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 4,
}
"""A machine counts as lost after seconds instead of a minute."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A head that works on nothing, and two machines with a core each."""
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": PROMPT}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield str(cluster.address)
    cluster.shutdown()


def ran(cli: Cli, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    return subprocess.run(
        [sys.executable, *words], cwd=cli.folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def repository(cli: Cli) -> Cli:
    for number in range(40):
        cli.write(f"{number:02}.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
    return cli


def test_an_address_is_all_it_takes(repository: Cli, address: str) -> None:
    alone = repository("check", "--format", "sarif", "-j", "1")
    done = ran(repository, "-m", "sglint", "check", "--format", "sarif", "--ray", address)
    assert (done.returncode, done.stdout) == (alone.code, alone.out)
    assert "linted here" not in done.stderr


def test_a_machine_that_is_lost_costs_nothing(repository: Cli, address: str, tmp_path: Path) -> None:
    alone = repository("check", "--format", "json", "-j", "1")
    mark = tmp_path.parent / f"{tmp_path.name}-lost"
    done = ran(repository, "-c", LOSING, str(mark), "check", "--format", "json", "--ray", address)
    assert (done.returncode, done.stdout) == (alone.code, alone.out)
    assert mark.exists()
    assert "linted here" not in done.stderr


def test_no_cluster_there_is_one_line(repository: Cli) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    environment.pop("RAY_ADDRESS", None)
    done = subprocess.run(
        [sys.executable, "-m", "sglint", "check", "--ray", "ray://127.0.0.1:1"],
        cwd=repository.folder,
        env={**environment, "RAY_gcs_rpc_server_reconnect_timeout_s": "1", "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("sglint: --ray ray://127.0.0.1:1: no cluster there")
