"""The annotated corpora known by name: the description of each, and how its folder is read."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from cdcoref.corpora.annotated import AnnotatedCorpus, CorpusInfo
from cdcoref.corpora.cat_corpora import ecb_files, meantime_files, read_ecb, read_meantime
from cdcoref.corpora.invented import read_invented
from cdcoref.corpora.splits import SPLITS, split_files, together
from cdcoref.corpora.within_documents import litbank_files, read_gum, read_litbank
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_jsonl
from cdlm.documents import AnnotatedDocument, MentionSpan

SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class KnownCorpus:
    """A corpus in the registry, and the files of a split in the distributed format; `wanted` says in words which."""

    info: CorpusInfo
    reader: Callable[[Path, str, Sequence[Path]], Corpus]
    files: Callable[[Path, str], Sequence[Path]]
    wanted: str = ""
    json_lines: bool = True

    def splits(self, root: Path) -> list[str]:
        """The splits with files in a folder."""
        return [split for split in SPLITS if self.files(root, split)]

    def read(self, root: Path, split: str) -> Corpus:
        """Read a split; an `InputError` if it is missing, unless the reader says what is."""
        files = self.files(root, split)
        if not files and self.wanted:
            there, title = " and ".join(self.splits(root)), self.info.title
            what = f"the {split} split of {title}, only {there}" if there else f"any split of {title}"
            raise InputError(f"this folder does not hold {what}; expected {self.wanted.format(split)}", root)
        return self.reader(root, split, files)


def _read_json_lines(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    return together(map(read_jsonl, files))


def _described() -> dict[str, CorpusInfo]:
    text = Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8")
    described = {}
    for name, stated in tomllib.loads(text).items():
        values: Any = {field: tuple(value) if isinstance(value, list) else value for field, value in stated.items()}
        described[name] = CorpusInfo(name=name, **values)
    return described


_INFO = _described()
_CONLLU, _JSON_LINES, _MARKDOWN = (partial(split_files, suffix=suffix) for suffix in (".conllu", SUFFIX, ".md"))
_OF_GUM = "{0}/*.conllu or a file whose name ends in -{0}.conllu"
_OF_LITBANK = "NUMBER_title_brat.conll in it or in its folder coref/conll"
_OF_MEANTIME = "corpus_airbus/*.xml and other topics in it or in its folder intra_cross-doc_annotation"
CORPORA = {
    known.info.name: known
    for known in (
        KnownCorpus(_INFO["ecb"], lambda root, split, files: read_ecb(root, split), ecb_files),
        KnownCorpus(_INFO["gum"], read_gum, _CONLLU, _OF_GUM),
        KnownCorpus(_INFO["gum-heads"], partial(read_gum, heads=True), _CONLLU, _OF_GUM, json_lines=False),
        KnownCorpus(_INFO["gvc"], _read_json_lines, _JSON_LINES, "{0}" + SUFFIX),
        KnownCorpus(_INFO["invented"], read_invented, _MARKDOWN, "{0}/*.md"),
        KnownCorpus(_INFO["litbank"], read_litbank, litbank_files, _OF_LITBANK),
        KnownCorpus(_INFO["meantime"], read_meantime, meantime_files, _OF_MEANTIME),
    )
}


@dataclass(frozen=True, slots=True)
class CorpusFolder:
    """A known corpus and its folder, written ``NAME:DIR`` by users; an `InputError` if none has that name."""

    name: str
    path: Path

    def __post_init__(self) -> None:
        if self.name not in CORPORA:
            raise InputError(f"there is no corpus named {self.name!r}; the known names are {', '.join(CORPORA)}")

    @classmethod
    def parse(cls, text: str) -> CorpusFolder:
        """Read ``NAME:DIR``; an `InputError` if a part is missing, or the name is unknown."""
        name, colon, path = text.partition(":")
        if not colon or not path:
            known = ", ".join(CORPORA)
            raise InputError(f"{text!r} does not have the form NAME:DIR; the known names are {known}")
        return cls(name, Path(path).expanduser())

    @property
    def info(self) -> CorpusInfo:
        """The corpus' description."""
        return CORPORA[self.name].info

    def splits(self) -> list[str]:
        """The splits that can be read, in the order train, dev, test."""
        return self._known().splits(self.path)

    def read(self, split: str) -> AnnotatedCorpus:
        """Read a split; an `InputError` if it is missing or cannot be read, or contradicts the corpus' description."""
        known = self._known()
        if split not in SPLITS:
            raise InputError(f"{self.info.title} has no split named {split!r}; choose one of {', '.join(SPLITS)}")
        return AnnotatedCorpus(self._checked(known.read(self.path, split)), self.info)

    def _known(self) -> KnownCorpus:
        """How the folder is read: as distributed, unless it holds the splits as JSON lines."""
        known = CORPORA[self.name]
        if not self.path.is_dir():
            raise InputError(f"this is not a folder; give the folder that holds {self.info.title}", self.path)
        lines = replace(known, reader=_read_json_lines, files=_JSON_LINES, wanted="{0}" + SUFFIX)
        if not lines.splits(self.path):
            return known
        if not known.json_lines:
            raise InputError(
                f"JSON lines do not contain the heads of mentions, so {self.info.title} cannot be read from this "
                "folder; use the corpus as distributed",
                self.path,
            )
        return lines

    def _checked(self, corpus: Corpus) -> Corpus:
        """The corpus, if it matches its description; mentions without a kind get the only one there is."""
        info = self.info
        if not corpus.mentions:
            raise InputError(f"this folder has no annotated mentions of {info.title}; is it another corpus?", self.path)
        if len(info.kinds) == 1:
            corpus = corpus.with_kind(info.kinds[0])
        document_of: dict[object, str] = {}
        for mention in corpus.mentions:
            if mention.kind not in info.kinds:
                what = "a mention without a kind" if mention.kind is None else f"an {mention.kind}"
                kinds = " and ".join(info.kinds)
                raise InputError(
                    f"document {mention.document!r} has {what}, but {info.title} annotates {kinds} mentions; is this "
                    "the folder of another corpus?",
                    self.path,
                )
            if mention.cluster is not None and not info.cross_document:
                other = document_of.setdefault((mention.kind, mention.cluster), mention.document)
                if other != mention.document:
                    raise InputError(
                        f"cluster {mention.cluster!r} is in two documents, {other!r} and {mention.document!r}, but "
                        f"links of {info.title} stay within documents; give the clusters different names",
                        self.path,
                    )
        return corpus


def corpus_folders(named: Sequence[str], ecb_root: Path | None = None) -> list[CorpusFolder]:
    """The corpora named on a command line; errors are those of :meth:`CorpusFolder.parse`."""
    short = [] if ecb_root is None else [CorpusFolder("ecb", ecb_root)]
    return [*short, *map(CorpusFolder.parse, named)]


def documents_of(corpus: str, folder: str | Path, split: str) -> list[AnnotatedDocument]:
    """Read a split of a known corpus; documents of one subtopic are related."""
    return plain_documents(CorpusFolder(corpus, Path(folder)).read(split).corpus)


def plain_documents(corpus: Corpus) -> list[AnnotatedDocument]:
    """The documents of a corpus without their hidden sentences and the mentions in these."""
    mentions = corpus.by_document()
    return [_plain(document, mentions[document.id]) for document in corpus.documents]


def _plain(document: Document, mentions: list[Mention]) -> AnnotatedDocument:
    sentences = document.sentence_of_tokens()
    visible = [token for token, sentence in enumerate(sentences) if sentence not in document.hidden]
    place = {token: word for word, token in enumerate(visible)}
    spans = tuple(
        MentionSpan(tuple(place[token] for token in mention.tokens), mention.kind or "", mention.cluster)
        for mention in mentions
        if all(token in place for token in mention.tokens)
    )
    group = document.subtopic or document.topic or document.id
    words = tuple(document.tokens[token] for token in visible)
    return AnnotatedDocument(document.id, group, words, spans, document.topic)
