"""A collection rebuilt with another kind: mentions of the other are left out, and come back with the next rebuild."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import OPTIONS, Collection
from cdcoref.corpus import Mention
from cdcoref.predict import PredictionOptions

EVENTS, ENTITIES, BOTH = (replace(OPTIONS, kind=kind) for kind in ("event", "entity", "both"))


def content(collection: Collection) -> set[frozenset[Mention]]:
    """The clusters, whatever their names, with all that is known of their mentions."""
    return {
        frozenset(Mention(m.document, m.tokens, m.kind, None, m.id, m.tag, m.confidence) for m in cluster)
        for cluster in collection.corpus().clusters()
    }


def made(written: Any, path: Path, options: PredictionOptions) -> set[frozenset[Mention]]:
    with Collection.create(path, "lemma", options) as collection:
        collection.add(written.joined(*written.reports(4)))
        return content(collection)


@pytest.mark.parametrize("first", [BOTH, EVENTS])
def test_one_kind_of_them_and_both_again(written: Any, path: Path, tmp_path: Path, first: PredictionOptions) -> None:
    expected = [made(written, tmp_path / f"{o.kind}.cdcoref", o) for o in (EVENTS, ENTITIES, BOTH)]
    made(written, path, first)
    with Collection.open(path) as collection:
        for options, those in zip((EVENTS, ENTITIES, BOTH), expected, strict=True):
            collection.rebuild(options=options)
            assert content(collection) == those
            assert collection.counts().mentions == sum(map(len, those))
        collection.rebuild(options=EVENTS)
        collection.add(written.reports(5)[4])
        collection.remove(["ferry0"])
        assert {m.kind for m in collection.corpus().mentions} == {"event"}
        collection.rebuild(options=BOTH)
        assert written.clusters_of(collection.corpus()) == {
            left
            for cluster in written.all_at_once(tmp_path, 5)
            if (left := frozenset(key for key in cluster if key[0] != "ferry0"))
        }


def test_the_kind_that_is_kept_keeps_its_clusters_and_corrections_rest(
    written: Any, lemma: Collection, mention_id: Callable[[str, str], str]
) -> None:
    lemma.add(written.joined(*written.reports(2)))
    lemma.correct("not-a-mention", [mention_id("ferry0", "storm")])
    ids = {c.title: c.id for c in lemma.clusters(min_mentions=1, kind="event")}
    lemma.rebuild(options=EVENTS)
    assert {c.title: c.id for c in lemma.clusters(min_mentions=1)} == ids
    lemma.rebuild(options=BOTH)
    assert {c.title: c.id for c in lemma.clusters(min_mentions=1, kind="event")} == ids
    assert lemma.mention(mention_id("ferry0", "storm")).rejected


def test_a_rebuild_that_another_one_overtakes_is_what_was_asked_for(written: Any, lemma: Collection) -> None:
    lemma.add(written.joined(*written.reports(4)))
    lemma.rebuild(options=EVENTS)
    meanwhile = [ENTITIES]

    def overtaken(stage: str, done: int, total: int) -> None:
        while meanwhile:
            options = meanwhile.pop()
            with Collection.open(lemma.path) as other:
                other.rebuild(options=options)

    lemma.rebuild(options=EVENTS, progress=overtaken)
    assert not meanwhile
    assert lemma.options == EVENTS
    assert {m.kind for m in lemma.corpus().mentions} == {"event"}
    lemma.rebuild(options=BOTH)
    assert written.clusters_of(lemma.corpus()) == written.all_at_once(lemma.path.parent, 4)
