"""``sglint releases``: what is known, and what two releases declare differently."""

from __future__ import annotations

from sglint import catalogue

from .conftest import Cli


def test_all_releases_are_listed(cli: Cli) -> None:
    assert cli("releases").out.split() == list(catalogue.releases())


def test_renames_are_followed_to_the_newer_release(cli: Cli) -> None:
    lines = cli("releases", "--diff", "0.5.3.post3", "0.5.23").out.splitlines()
    assert "- --nsa-prefill  (use --dsa-prefill-backend)" in lines
    assert any(line.startswith("- --cuda-graph-max-bs  (use --cuda-graph-max-bs-decode)") for line in lines)


def test_json_has_the_successors_too(cli: Cli) -> None:
    removed = {
        entry["flag"]: entry
        for entry in cli("releases", "--diff", "0.5.19", "0.5.20", "--format", "json").json["removed"]
    }
    assert removed["--mamba-scheduler-strategy"]["replacement"] == "--mamba-radix-cache-strategy"
    assert len(removed["--cuda-graph-bs"]["ambiguous"]) == 2


def test_an_unknown_release_is_a_mistake_of_use(cli: Cli) -> None:
    assert cli("releases", "--diff", "0.5.19", "9.9").code == 2
