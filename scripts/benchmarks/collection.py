"""What a collection costs as it grows, how good it is, and what corrections do.

    python scripts/benchmark.py collection cost SETS.jsonl.gz --sizes 100,1000,3400
    python scripts/benchmark.py collection order ECB_FOLDER --orders 3
    python scripts/benchmark.py collection corrections ECB_FOLDER --corrections 50

`cost` adds 10 documents to collections of several sizes. Documents come from files of related sets (one JSON object a
line, ``{"documents": [{"id", "title", "text"}, ...]}``, plain or gzipped), the sets in their order; the 10 documents
are the next ones. With ``--mentions names`` (the default) every capitalised word that does not begin a sentence is
given as an entity, so that what is measured is the collection; with ``--mentions model`` the model finds them. Times
are CPU seconds of this process, which other programs on the machine do not change much; beside them those of the clock.

`order` adds ECB+ dev with gold mentions document by document, in random orders, and compares with all at once
(singletons kept, predicted stories; a validation score). `corrections` answers the least sure questions about ECB+ dev
as the annotation does, and shows the scores as it goes on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from cdcoref.collection import Collection, Question
from cdcoref.corpora import corpus_folders
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.predict import LEMMA, Predictor, load
from cdcoref.scoring import score
from cdcoref.stories import topic_quality

ADDED = 10


def documents_of(path: Path) -> Iterator[Document]:
    """The documents of the sets, title and text in one."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            for document in json.loads(line)["documents"]:
                yield tokenise_text(f"{document['title']}\n\n{document['text']}", document["id"])


def with_names(documents: Sequence[Document]) -> Corpus:
    """The documents with every capitalised word that does not begin a sentence as an entity."""
    mentions = [
        Mention(document.id, (token,), "entity")
        for document in documents
        for start, end in document.sentences
        for token in range(start + 1, end)
        if document.tokens[token][:1].isupper() and document.tokens[token][1:2].islower()
    ]
    return Corpus(tuple(documents), tuple(mentions))


def cost(arguments: argparse.Namespace) -> None:
    """What 10 documents cost in collections of several sizes."""
    sizes = sorted(int(size) for size in arguments.sizes.split(","))
    wanted = sizes[-1] + ADDED * arguments.repeats
    paths = [arguments.path, *arguments.more]
    documents = list(islice((document for path in paths for document in documents_of(path)), wanted))
    if len(documents) < wanted:
        raise SystemExit(f"there are {len(documents)} documents, and {wanted} are needed")
    predictor = predictor_of(arguments.model, arguments.mentions == "names")

    def corpus(some: Sequence[Document]) -> Corpus:
        return with_names(some) if arguments.mentions == "names" else Corpus(tuple(some))

    print(
        f"| documents | mentions | stories | CPU seconds for {ADDED} more | ratio | clock | pairs read | at once | MB |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    first = None
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.cdcoref"
            with Collection.create(path, arguments.model) as collection:
                started = time.process_time()
                collection.add(corpus(documents[:size]), predictor)
                begun = time.process_time() - started
                counts = collection.counts()
                seconds, clock, pairs = [], [], 0
                for repeat in range(arguments.repeats):
                    start = size + repeat * ADDED
                    started, began = time.process_time(), time.perf_counter()
                    pairs += collection.add(corpus(documents[start : start + ADDED]), predictor).pairs
                    seconds.append(time.process_time() - started)
                    clock.append(time.perf_counter() - began)
            megabytes = path.stat().st_size / 1e6
        middle = statistics.median(seconds)
        first = first or middle
        print(
            f"| {size:,} | {counts.mentions:,} | {counts.stories:,} | {middle:.2f} | {middle / first:.2f} | "
            f"{statistics.median(clock):.2f} | {pairs / arguments.repeats:.0f} | {begun:.1f} | {megabytes:.1f} |",
            flush=True,
        )


@contextmanager
def new_collection(model: str) -> Iterator[Collection]:
    """An empty collection that is gone in the end."""
    with tempfile.TemporaryDirectory() as folder, Collection.create(Path(folder) / "a.cdcoref", model) as collection:
        yield collection


def predictor_of(model: str, given: bool) -> Predictor | None:
    """The model; None where none is needed."""
    return None if model == LEMMA and given else load(model)


def dev_of(arguments: argparse.Namespace) -> Corpus:
    """ECB+ dev, or some of its topics."""
    gold = corpus_folders([], arguments.path)[0].read("dev").corpus
    topics = sorted({document.topic or "" for document in gold.documents}, key=lambda name: (len(name), name))
    chosen = set(topics[: arguments.topics])
    return gold.subset(document.id for document in gold.documents if document.topic in chosen)


def places(corpus: Corpus) -> list[list[object]]:
    """The places of each cluster's mentions."""
    return [[mention.place for mention in cluster] for cluster in corpus.clusters()]


def conll(gold: Corpus, system: Corpus) -> dict[str, float]:
    """CoNLL F1 of every kind, in percent."""
    return {kind: 100 * (score(gold.of_kind(kind), system.of_kind(kind)).conll_f1 or 0.0) for kind in KINDS}


def quality(gold: Corpus, collection: Collection) -> str:
    """Cells of a table: how good a collection is."""
    prediction = collection.prediction()
    scores = conll(gold, prediction.corpus)
    stories = topic_quality(gold.documents, prediction.story_documents)
    return f"{scores['event']:.2f} | {scores['entity']:.2f} | {100 * stories.f1:.1f} | {stories.groups}"


def order(arguments: argparse.Namespace) -> None:
    """ECB+ dev document by document, and all at once."""
    gold = dev_of(arguments)
    predictor = predictor_of(arguments.model, True)
    mentions = gold.by_document()
    print("| added | event F1 | entity F1 | stories, B3 F1 | stories | pairs read | CPU seconds |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for number in range(-1, arguments.orders):
        documents = list(gold.documents)
        random.Random(number).shuffle(documents)
        name = "all at once" if number < 0 else f"one by one, order {number}"
        parts = [gold] if number < 0 else [Corpus((d,), tuple(mentions[d.id])) for d in documents]
        with new_collection(arguments.model) as collection:
            started = time.process_time()
            pairs = sum(collection.add(part, predictor).pairs for part in parts)
            seconds = time.process_time() - started
            print(f"| {name} | {quality(gold, collection)} | {pairs} | {seconds:.0f} |", flush=True)
            if number == arguments.orders - 1 and number >= 0:
                collection.rebuild(predictor)
                print(f"| the same, rebuilt | {quality(gold, collection)} | | |", flush=True)


def corrections(arguments: argparse.Namespace) -> None:
    """Answers to the least sure questions, as the annotation has them."""
    gold = dev_of(arguments)
    predictor = predictor_of(arguments.model, True)
    cluster_of = {mention.key: mention.cluster or str(n) for n, mention in enumerate(gold.mentions)}

    def same(question: Question) -> bool:
        one, other = (cluster_of[(m.document, m.tokens, m.kind)] for m in (question.first, question.second))
        return one == other

    with new_collection(arguments.model) as collection:
        collection.add(gold, predictor)
        print("| corrections | that changed something | event F1 | entity F1 | stories, B3 F1 | stories |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: |")
        changed = 0
        started = time.perf_counter()
        for number in range(arguments.corrections + 1):
            if number % arguments.every == 0:
                print(f"| {number} | {changed} | {quality(gold, collection)} |", flush=True)
            questions = collection.least_sure(1)
            if number == arguments.corrections or not questions:
                break
            (question,) = questions
            answer = same(question)
            changed += answer != question.together
            collection.correct("same" if answer else "not-same", [question.first.id, question.second.id])
        print(f"{time.perf_counter() - started:.0f} seconds")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cost", "order", "corrections"))
    parser.add_argument("path", type=Path, help="file of related sets of documents, or folder of ECB+")
    parser.add_argument("--more", type=Path, nargs="*", default=[], help="further files of related sets")
    parser.add_argument("--model", default=LEMMA, help="lemma, default, or a model's folder")
    parser.add_argument("--sizes", default="100,1000,3400", help="numbers of documents, separated by commas")
    parser.add_argument("--mentions", choices=("names", "model"), default="names", help="where mentions come from")
    parser.add_argument(
        "--repeats", type=int, default=5, help="how many times 10 documents are added; the median counts"
    )
    parser.add_argument("--orders", type=int, default=3, help="random orders")
    parser.add_argument("--topics", type=int, default=100, help="most topics of ECB+ dev, the first ones")
    parser.add_argument("--corrections", type=int, default=50, help="how many questions are answered")
    parser.add_argument("--every", type=int, default=10, help="how many answers between two scores")
    arguments = parser.parse_args()
    {"cost": cost, "order": order, "corrections": corrections}[arguments.what](arguments)


if __name__ == "__main__":
    main()
