"""The JSON documents: the shape that contracts fix, ranges in UTF-16 units."""

from __future__ import annotations

import json

from sglint import __version__
from sglint.report.json import check_json, launches_json

from .samples import PATH, RUN


def span(line: int, start: int, end: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def test_check_names_its_schema_and_what_it_knows() -> None:
    document = check_json(RUN)
    assert (document["schema"], document["sglint"]) == (1, __version__)
    assert document["catalogue"] == {"newest": "0.5.18", "oldest": "0.5.17"}
    assert document["files"] == {
        "seen": 3,
        "with_launches": 1,
        "skipped": [{"path": "big.yaml", "reason": "larger than 10 MB"}],
        "copies": 0,
    }
    assert document["summary"] == {"error": 1, "warning": 0, "info": 0, "hint": 1, "abstained": 2}


def test_check_tells_of_a_launch_what_it_was_judged_with() -> None:
    (launch,) = check_json(RUN)["launches"]
    assert launch["id"] == 1
    assert launch["path"] == PATH
    assert launch["argv"][:2] == ["--model-path", "openai/gpt-oss-120b"]
    assert launch["release"] == {"value": "0.5.18", "source": "command line", "path": None, "range": None}
    assert launch["model"] == {
        "id": "openai/gpt-oss-120b",
        "source": "argument",
        "path": PATH,
        "range": span(3, 44, 63),
        "facts": "registry",
        "traits": ["hybrid-swa"],
    }
    assert launch["hardware"]["gpu"] == "h200"
    assert launch["hardware"]["count"] is None
    assert launch["verdict"] == {
        "status": "refused",
        "stage": "pool-init",
        "code": "SGL101",
        "check": "UM-SEED",
        "message_head": "Speculative decoding with",
        "needs": ["the draft"],
        "later": [],
    }


def test_a_finding_points_with_utf16_units() -> None:
    problem, error = check_json(RUN)["findings"]
    assert problem["launch"] is None
    assert problem["range"] == span(1, 0, len("# 🚀 start") + 1)
    assert error["launch"] == 1
    assert error["range"] == span(4, 1, 24)
    assert error["related"] == [{"path": PATH, "range": span(4, 25, 48), "message": "asks for speculative decoding"}]
    assert error["evidence"] == [{"release": "0.5.18", "path": "srt/file.py", "symbol": "Class.method"}]
    assert error["decided_by"] == ["args.enable_unified_memory", "model.hybrid_swa"]


def test_fixes_carry_edits_and_their_effect() -> None:
    drop, move = check_json(RUN)["findings"][1]["fixes"]
    assert drop["edits"] == [{"path": PATH, "range": span(4, 1, 25), "text": ""}]
    assert drop["verified"] is True
    assert drop["effect"]["full_tokens"] == {"before": 756607, "after": 779959}
    assert (move["safety"], move["reason"], move["edits"]) == ("display-only", "no image tag to edit", [])


def test_launches_lists_options_with_their_places() -> None:
    document = launches_json(RUN)
    (launch,) = document["launches"]
    assert document["not_launches"] == []
    assert launch["launcher_range"] == span(3, 10, 30)
    assert [option["flag"] for option in launch["options"]] == [
        "--model-path",
        "--enable-unified-memory",
        "--speculative-algorithm",
        "--tp-size",
    ]
    assert [option["value"] for option in launch["options"]] == ["openai/gpt-oss-120b", True, "DSPARK", "2"]
    assert launch["options"][1]["value_range"] is None
    assert launch["options"][3]["value_range"] == span(4, 66, 69)
    assert launch["options"][3]["defined_at"] == [{"name": "TP", "path": PATH, "range": span(2, 3, 4)}]
    assert launch["positional"] == [
        {"value": "🚀", "path": PATH, "range": span(3, 64, 66), "presence": "yes", "with_defaults": None}
    ]
    assert launch["env"] == {"TP": {"value": "2", "path": PATH, "range": span(2, 3, 4)}}


def test_launches_keeps_what_the_file_says_apart_from_what_was_decided() -> None:
    (launch,) = launches_json(RUN)["launches"]
    assert launch["release"]["value"] == "0.5.18"
    assert (launch["release_source"], launch["release_at"]) == (None, None)
    assert (launch["gpu"], launch["gpu_source"]) == ("h200", "directive")
    assert (launch["gpu_count"], launch["gpu_count_source"]) == (None, None)


def test_both_documents_are_json() -> None:
    assert json.loads(json.dumps([check_json(RUN), launches_json(RUN)]))
