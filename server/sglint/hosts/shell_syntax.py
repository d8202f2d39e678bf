"""The syntax tree of a script, from a parser that does not take all that bash takes.

Where the tree says that something is wrong, what the parser is known not to take is covered by letters of the same
length, and where it joins two commands the line end between them becomes a semicolon. Nobody but the parser sees
that: words are read from the script's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from .shell_words import closing

Node = Any

_MAX_REPAIRS = 20
MAX_PIPES = 40
"""Pipes of one line beside here-documents: with each more, what is not closed may take the parser a third longer."""
_MANY_PIPES = re.compile(rf"^((?:[^|\n]*\|){{{MAX_PIPES}}})([^\n]*)", re.MULTILINE)

_PARAMETER = re.compile(r"\$\{[#!]?\w|\$\(\(")
_UNTAKEN = (
    # `@(a|b)` outside of `case` and `[[ == ]]`.
    (re.compile(r"[?*+@!]\([^()\n\"'`$ ]*\)"), "x"),
    # `[[ $x = *"a b"* ]]`
    (re.compile(r"\*(?:\"[^\"\n$`]*\"|'[^'\n]*')\*?"), "x"),
    # `[ a \< b ]`
    (re.compile(r"(?<=[ \t])\\[<>](?=[ \t])"), "="),
    # `exec 3<>file`
    (re.compile(r"(?<=\d)<>"), ">"),
    # `;&` and `;;&` behind the last branch of a `case`.
    (re.compile(r"(?<!;);&(?=[ \t\n]*(?:#[^\n]*\n[ \t\n]*)*esac(?![\w-]))"), ";"),
    (re.compile(r"(?<=;;)&(?=[ \t\n]*(?:#[^\n]*\n[ \t\n]*)*esac(?![\w-]))"), " "),
)
"""What the parser is known not to take, each with the letter that covers it."""

_COMMAND = re.compile(r"\$\((?!\()|`")
"""A command inside a word, whose own words count."""

_ANSI_STRING = re.compile(r"\$'(?:[^'\\]|\\.)*\\\\'", re.DOTALL)
"""``$'...\\\\'``, whose last sign the parser takes for an escaped one."""
_ESCAPE = re.compile(r"\\.", re.DOTALL)

_FOR_ALL = re.compile(r"(?<![\w.-])for[ \t]+[A-Za-z_]\w*([ \t])(?=[ \t]*do(?![\w-]))")
_PIPED = re.compile(r"\|[^|]*\|")


def parse(text: str) -> Node:
    """The syntax tree's root. Byte offsets of its nodes are character offsets of the text."""
    plain = _plain(text)
    root = _tree(plain)
    if root.has_error:
        covered = _covered(plain)
        other = _tree(covered) if covered != plain else root
        if not other.has_error:
            plain, root = covered, other
    if ">" in plain and _PIPED.search(plain):
        root = _parted(plain, root)
    return root


def _plain(text: str) -> str:
    """One byte a character, so that the parser's byte offsets are character offsets."""
    if "$'" in text and "\\\\'" in text:
        text = _ANSI_STRING.sub(lambda found: _ESCAPE.sub(_without_backslashes, found[0]), text)
    if "<<" in text and text.count("|") > MAX_PIPES:
        text = _MANY_PIPES.sub(lambda found: found[1] + found[2].replace("|", "x"), text)
    if text.isascii():
        return text
    # A byte order mark is read as if it were not there.
    plain = (" " + text[1:]) if text.startswith("\ufeff") else text
    return "".join(char if char < "\x80" else "x" for char in plain)


def _without_backslashes(escape: re.Match[str]) -> str:
    return "xx" if escape[0] == "\\\\" else escape[0]


def _covered(text: str) -> str:
    """The text with everything that the parser is known not to take covered."""
    for pattern, letter in _UNTAKEN:
        text = "".join(_cover(text, pattern, letter))
    text = _FOR_ALL.sub(lambda found: found[0][:-1] + ";", text)
    parts: list[str] = []
    at = 0
    for found in _PARAMETER.finditer(text):
        if found.start() < at:
            continue
        line_end = text.find("\n", found.start())
        end = closing(text, found.start(), len(text) if line_end < 0 else line_end)
        written = text[found.start() : end]
        if _COMMAND.search(written):
            continue
        if written.endswith("}"):
            parts += [text[at : found.start()], "${", "x" * (len(written) - 3), "}"]
            at = end
        elif written.startswith("$((") and written.endswith("))"):
            parts += [text[at : found.start()], "$((", "x" * (len(written) - 5), "))"]
            at = end
    return "".join((*parts, text[at:]))


def _cover(text: str, pattern: re.Pattern[str], letter: str) -> Iterator[str]:
    at = 0
    for found in pattern.finditer(text):
        yield text[at : found.start()]
        yield letter * len(found[0])
        at = found.end()
    yield text[at:]


def _parted(text: str, root: Node) -> Node:
    """The tree without commands that go on behind the end of their line.

    Of ``a | b | c`` and ``d > file`` on the next line the parser (tree-sitter-bash 0.25.1) makes one pipeline whose
    last command is ``c d``.
    """
    for _ in range(_MAX_REPAIRS):
        cuts = sorted(set(_joined(text, root)))
        if not cuts:
            break
        for cut in cuts:
            text = text[:cut] + ";" + text[cut + 1 :]
        root = _tree(text)
    return root


def _joined(text: str, root: Node) -> Iterator[int]:
    """Where commands of pipelines go on behind the end of a line."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end_byte - node.start_byte < 6 or "|" not in text[node.start_byte : node.end_byte]:
            continue
        if node.type == "pipeline":
            for child in node.children:
                if child.type == "redirected_statement" and child.children[0].type == "pipeline":
                    yield from _line_ends(text, child.children[0].children[-1])
        stack += node.children


def _line_ends(text: str, command: Node) -> Iterator[int]:
    """The first characters of gaps between the words of ``command`` that hold the end of a line."""
    words = [child for child in command.children if child.type != "comment"]
    for index, word in enumerate(words[1:]):
        start, end = words[index].end_byte, word.start_byte
        if "\n" in text[start:end].replace("\\\n", ""):
            yield start
            return


def _tree(text: str) -> Node:
    return _parser().parse(text.encode("ascii")).root_node


@lru_cache(maxsize=1)
def _parser() -> Any:
    import tree_sitter

    return tree_sitter.Parser(tree_sitter.Language(_language()))


def _language() -> Any:
    """The grammar, loaded without its package's own start, which costs more than reading a script."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    package = PathFinder.find_spec("tree_sitter_bash")
    folders = list(package.submodule_search_locations or ()) if package is not None else []
    binding = PathFinder.find_spec("tree_sitter_bash._binding", folders)
    if binding is not None and binding.loader is not None:
        module: Any = module_from_spec(binding)
        binding.loader.exec_module(module)
        return module.language()
    import tree_sitter_bash

    return tree_sitter_bash.language()
