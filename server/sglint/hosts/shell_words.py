"""The inside of a shell word: literal text, quotes, escapes and expansions, each with its place.

Offsets are those of the script's own text. Nothing here knows values; see ``shell_expand``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .origins import HOLE, UNKNOWN


class Atom(NamedTuple):
    """A piece of a word as written.

    kind
        ``lit`` literal text, ``var`` a parameter expansion, ``arithmetic`` and ``command`` for ``$((...))`` and
        ``$(...)``, ``unknown`` something only a running shell can tell.
    start, end
        the source stretch: of the literal characters without their quotes, of the whole expansion with ``$``.
    text
        decoded text of a literal; the source text otherwise.
    quote
        ``'``, ``"``, ``$'`` (ANSI-C) or ```` (none), the quoting the atom stands in.
    name, operator, argument
        of an expansion: parameter name (``@``, ``1``, ``A[@]``), operator (``:-`` ...; empty for a plain one;
        ``length``, ``named`` and ``keys`` for ``${#X}``, ``${!X}`` and ``${!X[@]}``; ``other`` for what is not
        evaluated) and the stretch of the operator's word, or of the inside of ``$((...))`` and ``$(...)``.
    many
        an unknown that may be any number of words.
    """

    kind: str
    start: int
    end: int
    text: str
    quote: str = ""
    name: str = ""
    operator: str = ""
    argument: tuple[int, int] | None = None
    many: bool = False


_PLAIN = re.compile(rf"[^\\'\"$`{UNKNOWN}{HOLE}<>{{~]+")
_QUOTED_PLAIN = re.compile(rf'[^\\"$`{UNKNOWN}{HOLE}]+')
_HEREDOC_PLAIN = re.compile(rf"[^\\$`{UNKNOWN}{HOLE}]+")
_FILLED = re.compile(f"[{UNKNOWN}{HOLE}]")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_PARAMETER = re.compile(r"([A-Za-z_]\w*|[0-9]+|[@*])(\[(?:[@*]|[^\]\[]*)\])?", re.ASCII)
_OPERATOR = re.compile(r":[-=?+]|[-=?+]|%%?|##?|/[/#%]?|\^\^?|,,?|:")
_LEADS = {"#": "length", "!": "named"}
_BRACES = re.compile(r"\{[^\s{}'\"]*(?:,|\.\.)[^\s{}]*\}|\{[^{}]*\"[^{}]*,[^{}]*\}")
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


def decode(text: str, start: int, end: int, mode: str = "") -> list[Atom]:
    """The atoms of ``text[start:end]``. ``mode`` is ```` for a word, ``"`` inside double quotes, ``heredoc``.

    Unclosed quotes and brackets end at ``end``.
    """
    atoms: list[Atom] = []
    at = start
    double = mode == '"'
    heredoc = mode == "heredoc"
    while at < end:
        quote = '"' if double or heredoc else ""
        pattern = _HEREDOC_PLAIN if heredoc else _QUOTED_PLAIN if double else _PLAIN
        plain = pattern.match(text, at, end)
        if plain:
            atoms.append(Atom("lit", at, plain.end(), plain.group(), quote))
            at = plain.end()
            continue
        char = text[at]
        if char == "\\":
            at = _escape(text, at, end, quote, heredoc, atoms)
        elif char == '"' and not heredoc:
            if double and mode != '"':
                double = False
            elif not double:
                double = True
                if text.startswith('"', at + 1) or at + 1 == end:
                    atoms.append(Atom("lit", at + 1, at + 1, "", '"'))
            else:
                atoms.append(Atom("lit", at, at + 1, char, quote))
            at += 1
        elif char in "$`":
            at = _dollar(text, at, end, quote, atoms)
        elif char == "'":
            close = text.find("'", at + 1, end)
            close = end if close < 0 else close
            atoms += _verbatim(text, at + 1, close)
            at = close + 1
        else:
            at = _odd(text, at, end, start, quote, atoms)
    return atoms


def _verbatim(text: str, start: int, end: int) -> list[Atom]:
    """The inside of single quotes, in which a notation around the script may still have put something unknown."""
    atoms: list[Atom] = []
    for found in _FILLED.finditer(text, start, end):
        if found.start() > start:
            atoms.append(Atom("lit", start, found.start(), text[start : found.start()], "'"))
        atoms.append(Atom("unknown", *found.span(), found.group(), "'", many=found.group() == HOLE))
        start = found.end()
    if start < end or not atoms:
        atoms.append(Atom("lit", start, end, text[start:end], "'"))
    return atoms


def stretches(text: str, start: int, end: int, signs: str = " \t\n") -> list[tuple[int, int]]:
    """The pieces of ``text[start:end]`` between ``signs`` outside of quotes and expansions."""
    cuts = [
        at
        for atom in decode(text, start, end)
        if atom.kind == "lit" and not atom.quote
        for at in range(atom.start, atom.end)
        if text[at] in signs
    ]
    found: list[tuple[int, int]] = []
    for cut in (*cuts, end):
        stop = cut
        while text.startswith("\\\n", start):
            start += 2
        if start < stop:
            found.append((start, stop))
        start = cut + 1
    return found


def _escape(text: str, at: int, end: int, quote: str, heredoc: bool, atoms: list[Atom]) -> int:
    after = text[at + 1 : min(at + 2, end)]
    if after == "\n":
        return at + 2
    special = "$`\\" if heredoc else '$`"\\'
    if not after or (quote and after not in special):
        atoms.append(Atom("lit", at, at + 1, "\\", quote))
        return at + 1
    atoms.append(Atom("lit", at, at + 2, after, quote or "\\"))
    return at + 2


def _dollar(text: str, at: int, end: int, quote: str, atoms: list[Atom]) -> int:
    if text[at] == "`" or text.startswith("$(", at) or text.startswith("$[", at):
        stop = closing(text, at, end)
        atoms.append(_substituted(text, at, stop, quote))
        return stop
    if text.startswith("${", at):
        stop = closing(text, at, end)
        atoms.append(_braced(text, at, stop, quote))
        return stop
    if not quote and text.startswith("$'", at):
        return _ansi(text, at, end, atoms)
    if not quote and text.startswith('$"', at):
        return at + 1
    name = _NAME.match(text, at + 1, end)
    if not name:
        atoms.append(Atom("lit", at, at + 1, "$", quote))
        return at + 1
    atoms.append(Atom("var", at, name.end(), text[at : name.end()], quote, name.group()))
    return name.end()


def _substituted(text: str, at: int, stop: int, quote: str) -> Atom:
    written = text[at:stop]
    if written.startswith("$((") and written.endswith("))"):
        return Atom("arithmetic", at, stop, written, quote, argument=(at + 3, stop - 2))
    if written.startswith("$(") and written.endswith(")"):
        return Atom("command", at, stop, written, quote, argument=(at + 2, stop - 1))
    if len(written) > 2 and written[0] == written[-1] == "`" and "\\" not in written:
        return Atom("command", at, stop, written, quote, argument=(at + 1, stop - 1))
    return Atom("unknown", at, stop, written, quote)


def _braced(text: str, at: int, stop: int, quote: str) -> Atom:
    inner_end = stop - 1 if text[stop - 1] == "}" and stop - 1 > at + 1 else stop
    written = text[at:stop]
    lead = _LEADS.get(text[at + 2 : at + 3])
    if lead:
        parameter = _PARAMETER.match(text, at + 3, inner_end)
        if parameter and parameter.end() == inner_end and lead == "named" and parameter[2] in ("[@]", "[*]"):
            return Atom("var", at, stop, written, quote, parameter.group(), "keys")
        if parameter and parameter.end() == inner_end and not (lead == "named" and parameter[2]):
            return Atom("var", at, stop, written, quote, parameter.group(), lead)
    parameter = _PARAMETER.match(text, at + 2, inner_end)
    if not parameter:
        return Atom("var", at, stop, written, quote, "?", "other")
    name = parameter.group()
    if parameter.end() == inner_end:
        return Atom("var", at, stop, written, quote, name)
    operator = _OPERATOR.match(text, parameter.end(), inner_end)
    if not operator:
        return Atom("var", at, stop, written, quote, name, "other")
    return Atom("var", at, stop, written, quote, name, operator.group(), (operator.end(), inner_end))


def _ansi(text: str, at: int, end: int, atoms: list[Atom]) -> int:
    at += 2
    if text.startswith("'", at):
        atoms.append(Atom("lit", at, at, "", "$'"))
    while at < end and text[at] != "'":
        if text[at] != "\\":
            stop = at
            while stop < end and text[stop] not in "'\\":
                stop += 1
            atoms.append(Atom("lit", at, stop, text[at:stop], "$'"))
        else:
            escape = _ANSI.match(text, at, end)
            if not escape:
                return end
            stop = escape.end()
            atoms.append(Atom("lit", at, stop, _ansi_char(escape), "$'"))
        at = stop
    return at + 1


def _ansi_char(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2] or escape[3]
    if number or escape[4]:
        code = int(number, 16) if number else int(escape[4], 8) & 0xFF
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else ""
    if escape[5]:
        return chr(ord(escape[5]) & 0x1F)
    return _ANSI_LETTERS.get(escape[6], escape[6] if escape[6] in "\\'\"?" else "\\" + escape[6])


def _odd(text: str, at: int, end: int, start: int, quote: str, atoms: list[Atom]) -> int:
    """Characters that mean something in some places only."""
    char = text[at]
    if char in (UNKNOWN, HOLE):
        atoms.append(Atom("unknown", at, at + 1, char, quote, many=char == HOLE))
        return at + 1
    if char in "<>" and text.startswith("(", at + 1):
        stop = closing(text, at, end)
        atoms.append(Atom("unknown", at, stop, text[at:stop], quote))
        return stop
    if char == "{":
        braces = _BRACES.match(text, at, end)
        if braces:
            atoms.append(Atom("unknown", at, braces.end(), braces.group(), quote, many=True))
            return braces.end()
    if char == "~" and at == start:
        user = re.compile(r"~[\w.-]*(?=/|$)").match(text, at, end)
        if user:
            atoms.append(Atom("unknown", at, user.end(), user.group(), quote))
            return user.end()
    atoms.append(Atom("lit", at, at + 1, char, quote))
    return at + 1


_OPENERS = re.compile(r"\$\(|\$\{|\$\[|[<>]\(|[\"'`\\()}\]]")


def closing(text: str, at: int, end: int) -> int:
    """Offset after what closes the expansion or quote opened at ``at``; ``end`` when nothing does.

    A stack instead of recursion. What is nested deeper than anybody writes counts as not closed.
    """
    opener = text[at] if text[at] in '"`' else text[at : at + 2]
    stack = [_CLOSERS[opener]]
    at += len(opener)
    while stack:
        if len(stack) > _MAX_OPEN:
            return end
        found = _OPENERS.search(text, at, end)
        if not found:
            return end
        token, at = found.group(), found.end()
        wanted = stack[-1]
        if token == "\\":
            at += 1
        elif token == wanted:
            stack.pop()
        elif wanted == "'":
            continue
        elif token in ("$(", "${", "$[", "`"):
            stack.append(_CLOSERS[token])
        elif token == '"':
            stack.append('"')
        elif wanted == '"':
            continue
        elif token in ("(", "<(", ">("):
            if wanted == ")":
                stack.append(")")
        elif token == "'" and wanted != "`":
            close = text.find("'", at, end)
            if close < 0:
                return end
            at = close + 1
    return min(at, end)


_MAX_OPEN = 60
_CLOSERS = {"$(": ")", "${": "}", "$[": "]", "<(": ")", ">(": ")", "(": ")", "`": "`", '"': '"'}
