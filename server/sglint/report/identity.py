"""What makes a finding the same one in another run: its rule, where its launch stands by names, and its words.

Neither lines nor columns take part, so that a finding keeps its identity when text above it comes or goes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..records import dataclass
from ..rules.findings import Finding, Judged, Report
from .run import Lines

_LONGEST_WORDS = 80


@dataclass(frozen=True)
class Identity:
    """``where`` is the launch's place by names (in a script what it starts), empty for problems of a file; ``words``
    are the text that is underlined. Several findings of a file may share one identity."""

    path: str
    code: str
    where: str
    words: str

    def fingerprint(self, ordinal: int) -> str:
        """32 hexadecimal digits; ``ordinal`` (from 0) tells findings with the same identity apart."""
        from hashlib import sha256

        parts = (self.path, self.code, self.where, self.words, str(ordinal))
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def identified(report: Report, lines: Lines) -> Iterator[tuple[Finding, Identity, int]]:
    """The findings of a report in order, each with its identity and its number among those that share it."""
    met: dict[Identity, int] = {}
    for finding in report.findings:
        judged = None if finding.launch is None else report.judged[finding.launch]
        identity = Identity(finding.path.replace("\\", "/"), finding.code, _where(judged), _words(finding, lines))
        ordinal = met.get(identity, 0)
        met[identity] = ordinal + 1
        yield finding, identity, ordinal


def _where(judged: Judged | None) -> str:
    if judged is None:
        return ""
    if judged.launch.structure:
        return judged.launch.structure
    model = judged.model.value if judged.model else None
    return " ".join(str(part) for part in (judged.launch.launcher, model) if part)


def _words(finding: Finding, lines: Lines) -> str:
    index = lines.of(finding.path)
    if index is None:
        return ""
    text = index.text[finding.span.start : finding.span.end]
    return " ".join(text.split())[:_LONGEST_WORDS]
