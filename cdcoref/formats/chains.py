"""Chains of mentions of one document in, as annotation tools have them, mentions with clusters out, and back."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cdcoref.corpus import KINDS, Corpus, Document, Mention, unbroken_parts
from cdcoref.errors import InputError
from cdcoref.word_tables import rows
from cdlm.printing import counted

UNKNOWN_KIND = "mention"
_KIND_OF_LABEL = {row["label"]: row["kind"] for row in rows("mention_labels.tsv")}


@dataclass(frozen=True, slots=True)
class Link:
    """A mention in a chain."""

    tokens: tuple[int, ...]
    kind: str | None = None
    cluster: str | None = None
    """The name of its cluster, as its label has it; None if it has no label."""
    tag: str | None = None
    """What else it is called."""


def chains_of(mentions: Iterable[Mention]) -> list[list[Mention]]:
    """The mentions of a document by cluster, in the order of the text; one without a cluster is a chain of its own."""
    chains: dict[object, list[Mention]] = {}
    for number, mention in enumerate(mentions):
        name = number if mention.cluster is None else (mention.kind, mention.cluster)
        chains.setdefault(name, []).append(mention)
    return list(chains.values())


def label_of(mention: Mention) -> str:
    """The kind and the cluster of a mention as one label, such as ``"event sinking_3"``."""
    return f"{mention.kind or UNKNOWN_KIND} {mention.cluster or ''}".strip()


def kind_and_tag(label: str | None) -> tuple[str | None, str | None]:
    """The kind of a mention that its label is or states, and the label if it is no kind.

    >>> kind_and_tag("Event"), kind_and_tag("PERSON"), kind_and_tag("pronoun"), kind_and_tag(None)
    (('event', None), ('entity', 'PERSON'), (None, 'pronoun'), (None, None))
    """
    name = (label or "").lower()
    is_kind = name in (*KINDS, UNKNOWN_KIND)
    return name if name in KINDS else _KIND_OF_LABEL.get(name), None if is_kind else label or None


def parsed_label(label: str | None) -> tuple[str | None, str | None, str | None]:
    """The kind, the cluster and the tag that a label states: one that `label_of` did not write is a tag.

    >>> parsed_label("event sinking_3"), parsed_label("entity"), parsed_label("pronoun"), parsed_label(None)
    (('event', 'sinking_3', None), ('entity', None, None), (None, None, 'pronoun'), (None, None, None))
    """
    kind, _, cluster = (label or "").strip().partition(" ")
    if kind in (*KINDS, UNKNOWN_KIND):
        return (kind if kind in KINDS else None), cluster or None, None
    stated, tag = kind_and_tag(label)
    return stated, None, tag


def mentions_of(document: Document, chains: Iterable[Sequence[Link]]) -> list[Mention]:
    """The mentions of a document, those of a chain in one cluster, in the order of the text."""
    named = named_links(document.id, chains)
    mentions = [Mention(document.id, link.tokens, kind, cluster, tag=link.tag) for link, kind, cluster in named]
    return sorted(mentions, key=lambda m: (m.start, m.end, m.tokens, m.kind or ""))


def named_links(id: str, chains: Iterable[Sequence[Link]]) -> Iterator[tuple[Link, str | None, str | None]]:
    """The links with the kinds and clusters of their chains; a label names one chain, so that most are followed."""
    kept = [chain for chain in chains if chain]
    names = _assigned_names([Counter((link.kind, link.cluster) for link in chain if link.cluster) for chain in kept])
    for number, chain in enumerate(kept):
        if number not in names and len(chain) > 1:
            kinds = Counter(link.kind for link in chain if link.kind).most_common(1)
            names[number] = (kinds[0][0] if kinds else None), f"{id}/{number + 1}"
        for link in chain:
            yield (link, *names.get(number, (link.kind, None)))


def _assigned_names(votes: Sequence[Counter[tuple[str | None, str]]]) -> dict[int, tuple[str | None, str]]:
    """The kind and the cluster of chains, by their numbers: each cluster once, so that most labels are followed."""
    from scipy.optimize import linear_sum_assignment

    known = list(dict.fromkeys(name for chain in votes for name in chain))
    table = [[chain[name] for name in known] for chain in votes]
    if not known:
        return {}
    rows, columns = linear_sum_assignment(table, maximize=True)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return {row: known[column] for row, column in pairs if table[row][column]}


def filled_gaps(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus with discontinuous mentions from their first to their last token, and a sentence if there were any."""
    broken = sum(not mention.contiguous for mention in corpus.mentions)
    if not broken:
        return corpus, ()
    mentions = tuple(replace(m, tokens=tuple(range(m.start, m.end))) for m in corpus.mentions)
    note = f"{counted(broken, 'discontinuous mention')} extended from first to last token, since the format has none"
    return replace(corpus, mentions=mentions), (note,)


def parts_by_line(document: Document, mention: Mention) -> list[tuple[int, int]]:
    """Character ranges of a mention that neither skip a token of it nor cross a line break."""
    parts: list[tuple[int, int]] = []
    for part in unbroken_parts(mention.tokens):
        begun = False
        for token in part:
            start, end = document.offsets[token]
            if begun and "\n" not in document.text[parts[-1][1] : start]:
                parts[-1] = parts[-1][0], end
            else:
                parts.append((start, end))
            begun = True
    return parts


def merged(links: Mapping[str, Link], groups: Iterable[Sequence[str]]) -> list[list[Link]]:
    """Chains of links, where links of one group are in one chain; a link in no group is a chain of its own."""
    chain_of = {name: [name] for name in links}
    for group in groups:
        for name in group:
            if name not in links:
                raise InputError(f"a link names the mention {name!r}, which is not there")
        for one, other in pairwise(group):
            if chain_of[one] is not chain_of[other]:
                chain_of[one] += chain_of[other]
                for name in chain_of[other]:
                    chain_of[name] = chain_of[one]
    unique = {id(chain): chain for chain in chain_of.values()}
    return [[links[name] for name in chain] for chain in unique.values()]
