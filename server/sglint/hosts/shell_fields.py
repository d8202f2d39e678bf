"""Fields: the words that what expansions gave is split into, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..launch.model import Definition, Place, Word
from ..patterns import lazy
from ..text import Mapped, Span
from .programs import mentions_launcher
from .shell_values import Item, Piece, Use

_BLANKS = lazy(r"[ \t\n]+")


def split(item: Item) -> list[Item]:
    """The item's words after splitting what came unquoted out of variables."""
    words: list[Item] = []
    current: list[Piece] = []
    started = False

    def close() -> None:
        nonlocal started
        if started:
            node = item.node if not splits else None
            if all(piece.maybe and not piece.quoted for piece in current):
                # The whole word is there or not.
                words.append(Item(tuple(piece._replace(maybe=False) for piece in current), True, node))
            else:
                words.append(Item(tuple(current), item.maybe, node))
        current.clear()
        started = False

    splits = any(_splits(piece) for piece in item.pieces)
    for piece in (_unclear(item) if _is_glued(item.pieces) else item).pieces:
        if piece.gap and not piece.quoted:
            close()
            continue
        if not _splits(piece):
            current.append(piece)
            started = started or piece.quoted or bool(piece.text)
            continue
        at = 0
        for blank in _BLANKS.finditer(piece.text):
            if blank.start() > at:
                current.append(piece.cut(at, blank.start()))
                started = True
            close()
            at = blank.end()
        if at < len(piece.text):
            current.append(piece.cut(at, len(piece.text)))
            started = True
    close()
    return words


def unsplit(item: Item) -> list[Item]:
    """The item where ``IFS`` says what splits: whatever came unquoted out of variables may be any words."""
    return [_unclear(item)] if any(piece.uses and not piece.quoted for piece in item.pieces) else split(item)


def _unclear(item: Item) -> Item:
    """Any words where the item stands."""
    use = next(piece.uses[0] for piece in item.pieces if piece.uses)
    return Item((Piece(use.written, Mapped.whole(use.written, use.span), known=False, many=True),), item.maybe)


def _is_glued(pieces: Sequence[Piece]) -> bool:
    """Whether one of several texts that a variable may have is written without a blank beside other text."""
    if not any(piece.gap and not piece.quoted for piece in pieces) or not any(piece.uses for piece in pieces):
        return False
    parts = ["" if piece.quoted or piece.gap else piece.text for piece in pieces]
    for open_, group in groupby(range(len(pieces)), key=lambda at: pieces[at].maybe or pieces[at].gap):
        at = list(group)
        if open_ and any(pieces[one].gap for one in at):
            before, after = (
                pieces[at[0] - 1] if at[0] else None,
                pieces[at[-1] + 1] if at[-1] + 1 < len(pieces) else None,
            )
            own = "".join(parts[one] for one in at)
            if before is not None and not _ends_word(before, -1) and not own[:1].isspace():
                return True
            if after is not None and not _ends_word(after, 0) and not own[-1:].isspace():
                return True
    return False


def _ends_word(piece: Piece, at: int) -> bool:
    """Whether a blank at an end of the piece splits what it stands beside."""
    return _splits(piece) and piece.text[at].isspace()


def _splits(piece: Piece) -> bool:
    return piece.known and not piece.quoted and bool(piece.uses) and _BLANKS.search(piece.text) is not None


def word_of(item: Item, path: str | None) -> Word:
    """The word of an argv, placed where the rules of extraction want it.

    A word that a variable brings as a flag, as the launcher, or with other words stands where it is written; any
    other variable stands at its use.
    """
    pieces = item.pieces
    used_at: Place | None = None
    while (use := _spread(pieces := _settled(pieces))) is not None:
        used_at = used_at or Place(use.span, path)
        pieces = tuple(piece._replace(uses=piece.uses[1:]) for piece in pieces)
    known = all(piece.known for piece in pieces)
    conditional = {piece.maybe for piece in pieces if piece.text or len(pieces) == 1}
    maybe = item.maybe or True in conditional
    if known and not item.maybe and len(conditional) > 1:
        known, maybe = False, False
    parts, names, holes = _placed(pieces)
    mapped = Mapped.join(parts)
    span = mapped.span() if mapped.text else Span(mapped.anchor, mapped.anchor)
    many = bool(pieces) and all(is_loose(piece) for piece in pieces)
    if not known and not holes:
        holes = [(0, len(mapped.text))]
    return Word(
        text=mapped.text if known else None,
        span=span,
        mapped=mapped,
        presence="maybe" if maybe else "yes",
        many=many,
        defined_at=tuple(names),
        used_at=used_at,
        path=path,
        handle=item,
        unknown=() if known else tuple(holes),
    )


def is_loose(piece: Piece) -> bool:
    """Whether a piece may be any number of words."""
    return piece.many and not piece.known and not piece.quoted


def is_one(piece: Piece) -> bool:
    """Whether an array holds the piece as it is, split already."""
    return piece.quoted or bool(piece.uses)


def _settled(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces, with what comes in quotes from a variable that has one of several texts as one that is not known:
    in quotes, nothing is a word as well."""
    if not any((piece.maybe or piece.gap) and piece.quoted and piece.uses for piece in pieces):
        return pieces
    found: list[Piece] = []
    for use, group in groupby(pieces, key=lambda piece: piece.uses[0] if piece.quoted and piece.uses else None):
        members = list(group)
        if use is not None and use.text != "\n\n" and any(piece.maybe or piece.gap for piece in members):
            members = [Piece(use.written, Mapped.whole(use.written, use.span), known=False, quoted=True)]
        found += members
    return tuple(found)


def _spread(pieces: Sequence[Piece]) -> Use | None:
    """The expansion that brought the whole word, when the word should stand where that got it from."""
    if not pieces or not pieces[0].uses:
        return None
    use = pieces[0].uses[0]
    if any(not piece.uses or piece.uses[0] != use for piece in pieces):
        return None
    text = "".join(piece.text for piece in pieces)
    if use.text == "\n\n" or text.startswith("-") or mentions_launcher(text):
        return use if len(pieces[0].uses) > 1 or pieces[0].mapped.span() != use.span else None
    return use if _BLANKS.search(use.text.strip()) and use.text.strip() != text else None


def _placed(pieces: Iterable[Piece]) -> tuple[list[Mapped], list[Definition], list[tuple[int, int]]]:
    parts: list[Mapped] = []
    names: list[Definition] = []
    holes: list[tuple[int, int]] = []
    at = 0
    last: Use | None = None
    for piece in pieces:
        use = piece.uses[0] if piece.uses else None
        if use is None:
            parts.append(piece.mapped)
        else:
            parts.append(Mapped.whole(piece.text, use.span) if piece.text else Mapped("", (), use.span.start))
            if use is not last:
                names += [name for name in use.names if name not in names]
        last = use
        if not piece.known:
            holes.append((at, at + len(piece.text)))
        at += len(piece.text)
    return parts, names, holes
