"""Objects of JSON as other programs write them in, the fields of documents (see `jsonl`) out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, pairwise
from typing import Annotated, Any

from annotated_types import Len
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from cdcoref.corpus import ENTITY
from cdcoref.formats.chains import Link, kind_and_tag, merged, named_links
from cdcoref.formats.format import ReadOptions
from cdcoref.formats.json_documents import WrongLine, checked
from cdcoref.formats.metadata import SUMMARIES, stated_date, usual_fields, without_by
from cdcoref.formats.web_page import all_text, is_html
from cdcoref.language import day_in

Range = Annotated[list[NonNegativeInt], Len(2, 2)]
"""Start and end."""
Fields = dict[str, Any]
_IDS = ("id", "docId", "doc_id", "document_id")
"""The names of the field with the id of a document."""


@dataclass(frozen=True, slots=True)
class Layouts:
    """Reads objects of any layout, as options say; remarks on what is left out are passed on."""

    options: ReadOptions
    remark: Callable[[str], None]

    def documents(self, content: Fields, default: str) -> Iterator[Fields]:
        """The documents in an object, those without an id with the default one; a document of `jsonl` is itself."""
        if isinstance(source := content.get("_source"), dict) and not _text_in(content):  # of Elasticsearch
            content = {"id": content.get("_id"), **source}
        content = self.renamed(content)
        id = str(next((content[name] for name in _IDS if content.get(name)), default))
        read = next((read for recognise, read in _LAYOUTS if recognise(content)), None)
        if read is not None:
            yield from ({"id": id, **document} for document in read(content, id, self))
        elif content.keys().isdisjoint(("tokens", "mentions")):
            usual = _usual(content, self)
            articles = [] if "text" in usual else [*_nested(content, self)]
            if articles:
                for number, article in enumerate(articles, 1):
                    own = next((article[name] for name in _IDS if article.get(name)), f"{id}:{number}")
                    yield article | {"id": own}
            elif "text" not in usual and "maintext" in content:
                self.remark("article without a text left out")
            else:
                yield usual
        else:
            yield content

    def renamed(self, content: Fields) -> Fields:
        """An object whose fields have the names that the user gives them."""
        renamed = {theirs: ours for ours, theirs in (self.options.columns or {}).items()}
        return {renamed.get(name, name): value for name, value in content.items()}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _usual(content: Fields, layouts: Layouts) -> Fields:
    """An object whose text and metadata have the names used here; usual ones are known, whatever their capitals."""
    theirs = usual_fields([name for name, value in content.items() if value not in (None, "", [], {})])
    known = {ours: _plain(content[name], ours) for ours, name in theirs.items()}
    if isinstance(within := content.get(theirs.get("text", "")), dict):  # its date comes before that of the record
        own = usual_fields([name for name, value in within.items() if value not in (None, "", [], {})])
        known |= {ours: _plain(within[name], ours) for ours, name in own.items() if ours != "text"}
    if isinstance(known.get("text"), list) and all(isinstance(part, str) for part in known["text"]):
        known["text"] = "\n\n".join(known["text"])
    if not isinstance(known.get("text"), str):
        parts = [name for name, value in content.items() if isinstance(value, dict) and _text_in(value)]
        if len(parts) != 1:
            return content
        [part] = parts
        return _usual({name: value for name, value in content.items() if name != part} | content[part], layouts)
    if theirs["text"].lower() != "text" and is_html(known["text"].encode()):
        known["text"] = all_text(known["text"].encode(), theirs["text"])
    if "date" in known:
        known["date"] = stated_date(known["date"])
        if day_in(str(known["date"])) is None:
            layouts.remark("date that cannot be read kept as it is")
    rest = {name: value for name, value in content.items() if name not in theirs.values()}
    if "text" not in content:  # an article of a collector, whose other fields may be anything
        rest = {name: value for name, value in rest.items() if isinstance(value, str | int | float) and value != ""}
    return rest | {name: value for name, value in known.items() if value is not None}


def _text_in(content: Fields) -> bool:
    return isinstance(content.get(usual_fields([*content]).get("text", "")), str)


def _plain(value: Any, name: str) -> Any:
    """A value of metadata or a text, which may be in an object of its own."""
    while isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$"):
        # {"$date": ...} of MongoDB
        value = next(iter(value.values()))
    if isinstance(value, dict):
        strings = [part for part in value.values() if isinstance(part, str)]
        usual = value.get(usual_fields([*value]).get(name, ""))
        named = value.get("name") or usual or value.get("title") or _first(strings)
        value = max(strings, key=len, default=None) if name == "text" else named
    if name == "author" and isinstance(value, list):
        return ", ".join(str(part.get("name")) if isinstance(part, dict) else str(part) for part in value)
    return unescape(value) if name == "title" and isinstance(value, str) else without_by(value, name)


def _nested(content: Fields, layouts: Layouts, depth: int = 4) -> Iterator[Fields]:
    """The documents in the lists of an object, down to some depth, or in an object or a text of its own for each."""
    if all(map(_is_prose, content.values())) and not usual_fields([*content]):
        yield from ({"id": name, "text": value} for name, value in content.items())
        return
    for name, value in content.items() if depth else ():
        if isinstance(value, list) and all(map(_is_prose, value)):
            yield from ({"text": text} for text in value)
        elif isinstance(value, dict):
            usual = _usual(value, layouts)
            yield from ({"id": name, **usual},) if "text" in usual else _nested(value, layouts, depth - 1)
        elif isinstance(_first(value), dict):
            for entry in (entry for entry in value if isinstance(entry, dict)):
                article = {name: _without_mark(part) for name, part in entry.items()}
                theirs = usual_fields([*article])
                usual = _usual(article, layouts)
                if "text" not in usual and "title" in theirs:  # an article with a summary, but no text
                    summary = next((text for name in SUMMARIES if isinstance(text := article.get(name), str)), "")
                    if not summary and "text" not in theirs:  # a list of headlines
                        summary = _plain(article[theirs["title"]], "title")
                    usual = _usual({**article, "content": summary}, layouts) if summary else usual
                if "text" in usual:
                    of_feed = "jsonfeed.org" in str(content.get("version")) and isinstance(content.get("title"), str)
                    yield {"source": content["title"], **usual} if of_feed else usual
                elif "title" in theirs:
                    layouts.remark("article without a text left out")


def _is_prose(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) > 3


def _without_mark(value: Any) -> Any:
    """A field without what NewsAPI writes where the rest of a text is, or the whole of one that was removed."""
    if not isinstance(value, str) or not value.rstrip().endswith((" chars]", "[Removed]")):
        return value
    before = value[: value.rindex("[")].rstrip()
    return before[: before.rfind(" ") + 1].rstrip() if before.endswith("…") else before


class _Model(BaseModel):
    model_config = ConfigDict(strict=True)


class _Region(_Model):
    """A mention in Label Studio, Prodigy or doccano."""

    id: Any = None
    start: NonNegativeInt = Field(validation_alias=AliasChoices("start", "start_offset", AliasPath("value", "start")))
    end: NonNegativeInt = Field(validation_alias=AliasChoices("end", "end_offset", AliasPath("value", "end")))
    label: str | None = Field(
        None,
        validation_alias=AliasChoices(
            "label", AliasPath("value", "labels", 0), AliasPath("value", "hypertextlabels", 0)
        ),
    )
    cluster: str | None = Field(None, validation_alias=AliasChoices("cluster", AliasPath("meta", "text", 0)))

    @model_validator(mode="after")
    def _with_key(self) -> _Region:
        self.id = str((self.start, self.end) if self.id is None else self.id)
        return self


class _Relation(_Model):
    """A relation in one of them; Prodigy's are between spans, the others' between ids."""

    first: Any = Field(None, validation_alias=AliasChoices("from_id", "head_span"))
    second: Any = Field(None, validation_alias=AliasChoices("to_id", "child_span"))
    name: str = Field("relation", validation_alias=AliasChoices(AliasPath("labels", 0), "label", "type"))

    def keys(self) -> list[str]:
        """The keys of the two mentions."""
        ends = (self.first, self.second)
        return [str((end.get("start"), end.get("end")) if isinstance(end, dict) else end) for end in ends]


class _Annotation(_Model):
    regions: list[_Region]
    relations: list[_Relation]


class _Completed(_Model):
    result: list[Fields] | None = None
    was_cancelled: bool | None = None


class _Task(_Model):
    annotations: list[_Completed] | None = Field(None, validation_alias=AliasChoices("annotations", "completions"))
    predictions: list[_Completed] | None = None


def _label_studio(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """A task, with the regions of its first annotation that was not cancelled, or else of its first prediction."""
    task = checked(_Task, content)
    kept = [annotation.result or [] for annotation in task.annotations or () if not annotation.was_cancelled]
    if not task.annotations and task.predictions:
        layouts.remark("predictions read, since there is no annotation")
        kept = [task.predictions[0].result or []]
    results = kept[0] if kept else []
    regions = [result for result in results if isinstance(value := result.get("value"), dict) and "start" in value]
    relations = [result for result in results if result.get("type") == "relation"]
    usual = _usual({name: v for name, v in layouts.renamed(content["data"]).items() if v is not None}, layouts)
    values = _in_characters([region["value"] for region in regions], usual)
    regions = [region | {"value": value} for region, value in zip(regions, values, strict=True)]
    yield usual | _mentions(regions, relations, id, layouts)


def _short_label_studio(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """A task in the short layout, whose regions are in a field of any name, and which has no relations."""
    [field, *_] = (name for name, value in content.items() if _is_short_region(_first(value)))
    rest = {name: value for name, value in content.items() if name != field}
    usual = _usual(rest, layouts)
    regions = [region | {"label": _first(region.get("labels"))} for region in _in_characters(content[field], usual)]
    yield usual | _mentions(regions, [], id, layouts)


def _in_characters(regions: Sequence[Fields], document: Fields) -> list[Fields]:
    """Regions in characters. Where the words do not match, positions may count an emoji as two, as browsers do."""
    text, found = str(document.get("text", "")), []
    for region in regions:
        start, end, words = region.get("start"), region.get("end"), region.get("text")
        if isinstance(words, str) and isinstance(start, int) and isinstance(end, int) and text[start:end] != words:
            units = [place for place, letter in enumerate(text) for _ in range(1 + (ord(letter) > 0xFFFF))]
            first, last = (units[place] if 0 <= place < len(units) else len(text) for place in (start, end))
            region = region | {"start": first, "end": last} if text[first:last] == words else region
        found.append(region)
    return found


def _is_short_region(value: Any) -> bool:
    return isinstance(value, dict) and {"start", "end", "text", "labels"} <= value.keys()


def _prodigy(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    if content.get("answer", "accept") != "accept":
        layouts.remark("text that was not accepted left out")
        return
    meta = content.get("meta") if isinstance(content.get("meta"), dict) else {}
    annotation = {}
    if "spans" in content:
        annotation = _mentions(content["spans"] or [], content.get("relations") or [], id, layouts)
    yield _usual({"text": content.get("text"), **(meta or {})}, layouts) | annotation


class _Labels(_Model):
    """Mentions of doccano where a project has no relations: start, end and label; other versions call them labels."""

    label: list[Annotated[list[int | str], Len(3, 3)]]


_DOCCANO_FIELDS = ("entities", "relations", "label", "labels")


def _doccano(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    rest = {name: value for name, value in content.items() if name not in _DOCCANO_FIELDS}
    if "text" not in rest and isinstance(content.get("data"), str):
        rest["text"] = rest.pop("data")  # its name in earlier versions
    labels = checked(_Labels, {"label": content.get("label") or content.get("labels") or []}).label
    regions = content.get("entities") or [dict(zip(("start", "end", "label"), label, strict=True)) for label in labels]
    yield _usual(rest, layouts) | _mentions(regions, content.get("relations") or [], id, layouts)


def _mentions(regions: Any, relations: Any, id: str, layouts: Layouts) -> Fields:
    """The mentions of an annotation, clusters as relations say; names that cdcoref wrote each stay with one of them."""
    found = checked(_Annotation, {"regions": regions, "relations": relations})
    links: dict[str, Link] = {}
    for number, region in enumerate(found.regions):
        kind, tag = kind_and_tag(region.label)
        name = f"{region.id} {number}" if region.id in links else region.id
        links[name] = Link((region.start, region.end), kind, region.cluster, tag)
    used = [relation.keys() for relation in found.relations if layouts.options.joins(relation.name, layouts.remark)]
    mentions = []
    for link, _, cluster in named_links(id, merged(links, (keys for keys in used if links.keys() >= {*keys}))):
        start, end = link.tokens
        mention = {"start": start, "end": end, "kind": link.kind, "tag": link.tag, "cluster": cluster}
        mentions.append({name: value for name, value in mention.items() if value is not None})
    return {"mentions": sorted(mentions, key=lambda mention: (mention["start"], mention["end"]))}


def _words(sentences: Sequence[Sequence[str]]) -> Fields:
    ends = list(accumulate(map(len, sentences), initial=0))
    return {"tokens": [word for sentence in sentences for word in sentence], "sentences": [*map(list, pairwise(ends))]}


def _entity(id: str, words: Fields, cluster: object, sentence: int, start: int, end: int, tag: str | None) -> Fields:
    """A mention by its words in a sentence, all counted from 0."""
    if sentence >= len(words["sentences"]):
        raise WrongLine(f"a mention is in sentence {sentence + 1} of {len(words['sentences'])}")
    first = words["sentences"][sentence][0]
    tokens = list(range(first + start, first + end))
    return {"tokens": tokens, "kind": ENTITY, "cluster": f"{id}/{cluster}", "tag": tag}


class _EndToEnd(_Model):
    sentences: list[list[str]]
    clusters: list[list[Range]] | None = None
    predicted_clusters: list[list[Range]] | None = None
    mention_clusters: list[list[Annotated[list[NonNegativeInt], Len(3, 3)]]] | None = None
    """In the layout of PreCo: numbers of sentences, and where a mention begins and ends (exclusive) in them."""

    @model_validator(mode="after")
    def _agree(self) -> _EndToEnd:
        if None not in (self.clusters, self.predicted_clusters) and self.clusters != self.predicted_clusters:
            raise ValueError("it has both 'clusters' and 'predicted_clusters'; give two files, each with one of them")
        return self


_E2E_FIELDS = {*_EndToEnd.model_fields, "doc_key", "tokens", "topic", "subtopic"}


def _end_to_end(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """Lee et al. 2017, *End-to-end Neural Coreference Resolution*, https://github.com/kentonl/e2e-coref."""
    if "subtoken_map" in content:
        raise WrongLine("its 'sentences' are word pieces ('subtoken_map'); give the file from which it was made")
    found = checked(_EndToEnd, {"sentences": [content.get("tokens")], **content})
    id = str(content.get("doc_key") or id)
    starts = list(accumulate(map(len, found.sentences), initial=0))
    clusters = found.clusters or found.predicted_clusters or []
    for spans in found.mention_clusters or ():
        clusters.append([[starts[s] + a, starts[s] + b - 1] for s, a, b in spans if s < len(found.sentences)])
    mentions = []
    for number, cluster in enumerate(clusters):
        for start, last in cluster:
            if not start <= last < starts[-1]:
                counted_to = f"its words are counted from 0 to {starts[-1] - 1}, and the last is part of it"
                raise WrongLine(f"a mention of document {id!r} is {[start, last]}; {counted_to}")
            mentions.append({"tokens": list(range(start, last + 1)), "cluster": f"{id}/{number}"})
    groups = {name: content.get(name) for name in ("topic", "subtopic")}
    metadata = {name: value for name, value in content.items() if name not in _E2E_FIELDS and value is not None}
    yield {"id": id, **_words(found.sentences), **groups, "metadata": metadata, "mentions": mentions}


class _CharacterClusters(_Model):
    clusters: list[list[Range]]


def _character_clusters(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """Otmazgin et al. 2022, *F-coref*, https://github.com/shon-otmazgin/fastcoref: ranges of characters."""
    found = checked(_CharacterClusters, content)
    named = [(f"{id}/{number}", span) for number, spans in enumerate(found.clusters) for span in spans]
    mentions = [{"start": start, "end": end, "cluster": name} for name, (start, end) in named]
    yield {"text": content["text"], "mentions": mentions}


class _SciCo(_Model):
    tokens: list[list[str]]
    sentences: list[list[Range]]
    mentions: list[Annotated[list[NonNegativeInt], Len(4, 4)]]
    doc_ids: list[str | int]


def _scico(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """Cattan et al. 2021, *SciCo*: the documents of a topic, whose clusters span them; last words are included."""
    found = checked(_SciCo, content)
    if content.get("relations"):
        layouts.remark("relations between clusters ignored")
    for number, (name, words, sentences) in enumerate(zip(found.doc_ids, found.tokens, found.sentences, strict=False)):
        of_document = [mention[1:] for mention in found.mentions if mention[0] == number]
        mentions = [
            {"tokens": list(range(start, last + 1)), "kind": ENTITY, "cluster": f"{id}/{cluster}"}
            for start, last, cluster in of_document
        ]
        cut = _words([words[start : last + 1] for start, last in sentences])
        yield {"id": f"{id}/{name}", "topic": id, **cut, "mentions": mentions}


class _DocRedMention(_Model):
    pos: Range
    sent_id: NonNegativeInt
    type: str | None = None


class _DocRed(_Model):
    sents: list[list[str]]
    vertexSet: list[list[_DocRedMention]]


def _docred(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """Yao et al. 2019, *DocRED: A Large-Scale Document-Level Relation Extraction Dataset*; ends are exclusive."""
    found = checked(_DocRed, content)
    words = _words(found.sents)
    mentions = [
        _entity(id, words, number, mention.sent_id, mention.pos[0], mention.pos[1], mention.type)
        for number, cluster in enumerate(found.vertexSet)
        for mention in cluster
    ]
    if content.get("labels"):
        layouts.remark("relations between entities ignored")
    yield {**words, "metadata": {"title": content.get("title") or id}, "mentions": mentions}


class _CoreNlpToken(_Model):
    word: str
    originalText: str = ""
    before: str = " "


class _CoreNlpSentence(_Model):
    tokens: list[_CoreNlpToken]


class _CoreNlpMention(_Model):
    sentNum: Annotated[int, Field(ge=1)]
    startIndex: Annotated[int, Field(ge=1)]
    endIndex: int
    type: str | None = None


class _CoreNlp(_Model):
    sentences: list[_CoreNlpSentence]
    corefs: dict[str, list[_CoreNlpMention]]


def _corenlp(content: Fields, id: str, layouts: Layouts) -> Iterator[Fields]:
    """Stanford CoreNLP, https://stanfordnlp.github.io/CoreNLP/coref.html; sentences and words are counted from 1."""
    found = checked(_CoreNlp, content)
    text, offsets = "", []
    for token in (token for sentence in found.sentences for token in sentence.tokens):
        text += token.before if text else ""
        offsets.append([len(text), len(text) + len(token.originalText or token.word)])
        text += token.originalText or token.word
    words = _words([[token.word for token in sentence.tokens] for sentence in found.sentences])
    mentions = [
        _entity(id, words, number, mention.sentNum - 1, mention.startIndex - 1, mention.endIndex - 1, mention.type)
        for number, cluster in found.corefs.items()
        for mention in cluster
    ]
    dated = {"metadata": {"date": content["docDate"]}} if content.get("docDate") else {}
    yield {"id": content.get("docId") or id, **dated, "text": text, "offsets": offsets, **words, "mentions": mentions}


_LAYOUTS: tuple[tuple[Callable[[Fields], bool], Callable[[Fields, str, Layouts], Iterator[Fields]]], ...] = (
    (
        lambda c: (
            isinstance(c.get("data"), dict)
            and ("text" in c["data"] or isinstance(c.get("annotations", c.get("completions")), list))
        ),
        _label_studio,
    ),
    (lambda c: any(_is_short_region(_first(value)) for value in c.values()), _short_label_studio),
    (lambda c: {"sents", "vertexSet"} <= c.keys(), _docred),
    (lambda c: {"sentences", "corefs"} <= c.keys(), _corenlp),
    (lambda c: {"doc_ids", "tokens", "mentions"} <= c.keys(), _scico),
    (lambda c: "doc_key" in c or isinstance(_first(_first(c.get("sentences"))), str), _end_to_end),
    (lambda c: "text" in c and isinstance(_first(_first(c.get("clusters"))), list), _character_clusters),
    (
        lambda c: (
            ("_input_hash" in c or c.get("answer") in ("accept", "ignore", "reject"))
            and not {"text", "spans"}.isdisjoint(c)
        ),
        _prodigy,
    ),
    (
        lambda c: (
            not {"text", "data"}.isdisjoint(c)
            and isinstance(_first(c.get("label")) or _first(c.get("labels")) or c.get("entities"), list)
        ),
        _doccano,
    ),
)
"""How an object of each layout is recognised, and how it is read."""
