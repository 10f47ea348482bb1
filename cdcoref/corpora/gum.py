"""The reader of GUM (Zeldes 2017): CoNLL-U with ``Entity=`` in, a Corpus out.

The type ``event`` is a nominal event (verbs are not annotated), any other type an entity. Empty nodes are not tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corefud
from cdlm.printing import counted


def read_gum(root: Path, split: str, files: Sequence[Path], *, heads: bool = False) -> Corpus:
    """Read a split; every document is a topic of its own, and a mention's tag is its type (``person``, ``place`` ...).

    `heads` reduces mentions to their heads, which may be discontinuous (``Sydney`` and ``Australia``).
    """
    documents: list[Document] = []
    mentions: list[Mention] = []
    left_out = 0
    for path in files:
        whole = read_corefud(path, empty_nodes=False)
        untyped = next((m for m in whole.mentions if m.tag is None), None)
        if untyped is not None:
            message = f"a mention of {untyped.document!r} has no type; '# global.Entity' should name etype"
            raise InputError(message, path)
        kinds = tuple(replace(m, kind=EVENT if m.tag == "event" else ENTITY) for m in whole.mentions)
        kept = _heads(kinds, read_corefud(path, heads=True, empty_nodes=False).mentions) if heads else list(kinds)
        left_out += len(kinds) - len(kept)
        documents.extend(replace(document, topic=document.id, subtopic=document.id) for document in whole.documents)
        mentions.extend(kept)
    notes = (f"omitted: {counted(left_out, 'mention')}, since a shorter one has the same head",) if left_out else ()
    return Corpus(tuple(documents), tuple(mentions), notes)


def _heads(whole: tuple[Mention, ...], heads: tuple[Mention, ...]) -> list[Mention]:
    """The mentions reduced to their heads, each head once."""
    owner: dict[object, int] = {}
    for number in sorted(range(len(whole)), key=lambda n: len(whole[n].tokens)):
        owner.setdefault((*heads[number].key, whole[number].kind), number)
    return [replace(whole[number], tokens=heads[number].tokens) for number in sorted(owner.values())]
