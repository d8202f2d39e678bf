"""Reports of the parts of a run, put together as the whole run would have written them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from . import sarif
from .json import SCHEMA

Document = dict[str, Any]

_CONFIGURATION = "SGL012"
_LEVELS = ("error", "warning", "note")
_COUNTS = ("error", "warning", "info", "hint")


class CannotMerge(ValueError):
    """The documents do not belong together, or are none of ours; the message says why."""


def merged(documents: Sequence[Document]) -> Document:
    """One document for several of ``check``, all JSON or all SARIF. Raises :class:`CannotMerge`."""
    kinds = {_kind(document, number) for number, document in enumerate(documents, 1)}
    if len(kinds) != 1:
        raise CannotMerge("some are JSON of `sglint check` and some SARIF; give one kind")
    return _sarif(documents) if kinds == {"sarif"} else _json(documents)


def _kind(document: Any, number: int) -> str:
    if isinstance(document, dict) and document.get("version") == "2.1.0" and _drivers(document) == ["SGLint"]:
        return "sarif"
    if isinstance(document, dict) and document.get("schema") == SCHEMA and {"launches", "findings"} <= document.keys():
        return "json"
    raise CannotMerge(f"document {number} is neither JSON nor SARIF of this sglint's `check`")


def _drivers(document: Document) -> list[Any]:
    try:
        return [run["tool"]["driver"]["name"] for run in document["runs"]]
    except (KeyError, TypeError):
        return []


def _json(documents: Sequence[Document]) -> Document:
    if len({document["sglint"] for document in documents}) > 1:
        raise CannotMerge("they were written by different versions of sglint")
    launches = sorted(
        ((launch, part) for part, document in enumerate(documents) for launch in document["launches"]),
        key=lambda pair: _steps(pair[0]["path"]),
    )
    numbers = {(part, launch["id"]): number for number, (launch, part) in enumerate(launches, 1)}
    files = {number: launch["path"] for number, (launch, _) in enumerate(launches, 1)}
    findings = [
        {**finding, "launch": numbers.get((part, finding["launch"]))}
        for part, document in enumerate(documents)
        for finding in document["findings"]
    ]

    def told_in(finding: Document) -> str:
        return str(files.get(finding["launch"], finding["path"]))

    findings = _told_once(
        list(_once(findings)),
        told_in,
        lambda finding: finding["path"],
        lambda finding: repr((finding["code"], finding["path"], finding["range"])),
    )
    findings.sort(key=lambda finding: (finding["code"] != _CONFIGURATION, _steps(told_in(finding))))
    return {
        **documents[0],
        "files": {
            "seen": sum(document["files"]["seen"] for document in documents),
            "with_launches": len({launch["path"] for launch, _ in launches}),
            "skipped": sorted(
                _once(entry for document in documents for entry in document["files"]["skipped"]),
                key=lambda entry: _steps(entry["path"]),
            ),
            "copies": sum(document["files"]["copies"] for document in documents),
        },
        "launches": [{**launch, "id": number} for number, (launch, _) in enumerate(launches, 1)],
        "findings": findings,
        "summary": {
            **{severity: sum(finding["severity"] == severity for finding in findings) for severity in _COUNTS},
            "abstained": sum(document["summary"]["abstained"] for document in documents),
        },
        "baseline": {
            kind: sum(document["baseline"][kind] for document in documents) for kind in documents[0]["baseline"]
        },
    }


def _told_once(
    entries: list[Document],
    told_in: Callable[[Document], str],
    path_of: Callable[[Document], str],
    place_of: Callable[[Document], str],
) -> list[Document]:
    """The entries without what a file says of itself and another file's launch says too, as a whole run has them."""
    told = {place_of(entry) for entry in entries if told_in(entry) != path_of(entry)}
    return [entry for entry in entries if told_in(entry) != path_of(entry) or place_of(entry) not in told]


def _sarif(documents: Sequence[Document]) -> Document:
    runs = [document["runs"][0] for document in documents]
    drivers = [run["tool"]["driver"] for run in runs]
    if len({driver["version"] for driver in drivers}) > 1:
        raise CannotMerge("they were written by different versions of sglint")
    rules = {rule["id"]: rule for driver in drivers for rule in driver["rules"]}
    codes = sorted(rules)
    every = [{**result, "ruleIndex": codes.index(result["ruleId"])} for run in runs for result in run["results"]]
    results = _told_once(
        list(_once(every)),
        _told_in,
        _uri,
        lambda result: repr((result["ruleId"], result["locations"][0]["physicalLocation"])),
    )
    # Mistakes of configurations come first, then file by file; within a file the order stays.
    results.sort(key=lambda result: (result["ruleId"] != _CONFIGURATION, _steps(unquote(_told_in(result)))))
    kept = _worst(results)
    invocations = [invocation for run in runs for invocation in run["invocations"]]
    told = [entry for invocation in invocations for entry in invocation["toolExecutionNotifications"]]
    run = {
        **runs[0],
        "tool": {"driver": {**drivers[0], "rules": [rules[code] for code in codes]}},
        "invocations": [
            {
                "executionSuccessful": all(invocation["executionSuccessful"] for invocation in invocations),
                "toolExecutionNotifications": [*_once(told), *_left_out(len(results) - len(kept))],
            }
        ],
        "results": kept,
    }
    return {**documents[0], "runs": [run]}


def _worst(results: list[Document]) -> list[Document]:
    """The results that code scanning takes, in their order."""
    if len(results) <= sarif.MOST_RESULTS:
        return results
    by_level = sorted(range(len(results)), key=lambda number: _LEVELS.index(results[number]["level"]))
    return [results[number] for number in sorted(by_level[: sarif.MOST_RESULTS])]


def _left_out(number: int) -> Iterator[Document]:
    if number:
        yield sarif.left_out_note(number)


def _uri(result: Document) -> str:
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def _told_in(result: Document) -> str:
    return str(result.get("properties", {}).get("launchedIn", _uri(result)))


def _once(entries: Iterable[Document]) -> Iterator[Document]:
    """Each entry the first time it is met: a configuration's mistakes are told by every part."""
    met: set[str] = set()
    for entry in entries:
        key = repr(entry)
        if key not in met:
            met.add(key)
            yield entry


def _steps(path: str) -> list[str]:
    """A path's names: folders are walked name by name, which is not the order of whole paths."""
    return path.split("/")
