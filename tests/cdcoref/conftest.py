"""What several tests share: a tiny random encoder and model, the command line in this process, a browser, a small ECB+.

Models and tokenizers are made once a session and may not be changed; the corpus in the shape of ECB+ is written anew
for every test, so that a test can break it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from tests.commands import Finished

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from cdcoref.model import CorefModel

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)

SENTENCES_FILE = "ECBplus_coreference_sentences.csv"


def ecb_xml(
    sentences: Sequence[str],
    mentions: Mapping[int, tuple[str, Sequence[int]]],
    instances: Mapping[int, str] | None = None,
    cross: Mapping[int, Sequence[int]] | None = None,
    intra: Sequence[Sequence[int]] = (),
) -> str:
    """One document.

    `mentions` are class and token numbers (from 1) by id; `instances` are names by id; `cross` are the mentions of each
    instance; `intra` are chains within the document.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>', '<Document doc_name="x.xml" doc_id="D1">']
    token = 0
    for number, sentence in enumerate(sentences):
        for place, word in enumerate(sentence.split()):
            token += 1
            lines.append(f'<token t_id="{token}" sentence="{number}" number="{place}">{escape(word)}</token>')
    lines.append("<Markables>")
    for id, (tag, tokens) in mentions.items():
        anchors = "".join(f'<token_anchor t_id="{t}"/>' for t in tokens)
        lines.append(f'<{tag} m_id="{id}">{anchors}</{tag}>')
    for id, name in (instances or {}).items():
        lines.append(f'<UNKNOWN_INSTANCE_TAG m_id="{id}" TAG_DESCRIPTOR="x" instance_id={quoteattr(name)}/>')
    for number in range(len(intra)):
        lines.append(f'<UNKNOWN_INSTANCE_TAG m_id="{900 + number}" TAG_DESCRIPTOR="chain"/>')
    lines.append("</Markables>\n<Relations>")
    for id, members in (cross or {}).items():
        sources = "".join(f'<source m_id="{m}"/>' for m in members)
        lines.append(f'<CROSS_DOC_COREF r_id="{100 + id}" note="x">{sources}<target m_id="{id}"/></CROSS_DOC_COREF>')
    for number, members in enumerate(intra):
        sources = "".join(f'<source m_id="{m}"/>' for m in members)
        target = f'<target m_id="{900 + number}"/>'
        lines.append(f'<INTRA_DOC_COREF r_id="{200 + number}">{sources}{target}</INTRA_DOC_COREF>')
    return "\n".join([*lines, "</Relations>", "</Document>"]) + "\n"


@pytest.fixture
def mini_ecb(tmp_path: Path) -> Path:
    """Topic 2 (of dev) with three listed documents and one that is not; topics are in the folder ``ECB+``."""
    root = tmp_path / "ecb"
    folder = root / "ECB+" / "2"
    folder.mkdir(parents=True)
    documents = {
        "2_1ecb": ecb_xml(
            ["Jackman will host the Oscars .", "He hosted the Tonys ."],
            {
                1: ("HUMAN_PART_PER", [1]),
                2: ("ACTION_OCCURRENCE", [3]),
                3: ("HUMAN_PART_PER", [7]),  # in a sentence that is not listed
                4: ("ACTION_OCCURRENCE", [4, 5]),
            },
            {50: "HUM1", 51: "ACT1"},
            {50: [1, 3], 51: [2]},
        ),
        "2_10ecb": ecb_xml(["Nobody checked Jackman in ."], {1: ("NEG_ACTION_OCCURRENCE", [2, 4])}),
        "2_1ecbplus": ecb_xml(
            ["http : // news . example / oscars", "Jackman , the host , is a host ."],
            {
                1: ("HUMAN_PART_PER", [8]),
                2: ("HUMAN_PART_PER", [11]),
                3: ("HUMAN_PART_PER", [15]),
                4: ("NON_HUMAN_PART_GENERIC", [7]),  # in the URL, whose sentence is listed
                5: ("TIME_DATE", [13]),
            },
            {50: "HUM1"},
            {50: [1]},
            intra=[[2, 3]],
        ),
        "2_2ecbplus": ecb_xml(["Not listed ."], {1: ("ACTION_OCCURRENCE", [2])}),
    }
    for name, xml in documents.items():
        (folder / f"{name}.xml").write_text(xml, encoding="utf-8")
    (root / SENTENCES_FILE).write_text(
        "Topic,File,Sentence Number\n2,1ecb ,0\n2,10ecb,0\n2,1ecbplus,0\n2,1ecbplus,1 \n", encoding="utf-8"
    )
    return root


@pytest.fixture(scope="session")
def sample() -> Path:
    """The sample's folder."""
    return SAMPLE


@pytest.fixture(scope="session")
def tiny_model_folder(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an untrained model whose random heads are bold: a part of all spans and pairs is probable."""
    import torch

    from cdcoref.inputs import SequenceOptions
    from cdcoref.model import CorefConfig, CorefModel, DetectorOptions, VectorOptions

    torch.manual_seed(15)
    config = CorefConfig(
        SequenceOptions(max_length=256), detector_width=16, detector_max_words=3, detector_max_length=128,
        detection_threshold={"event": 0.6, "entity": 0.6}, detector=DetectorOptions(word_layers=1),
        vectors=VectorOptions(layers=2),
    )  # fmt: skip
    model = CorefModel.from_encoder(tiny_encoder, config)
    with torch.no_grad():
        for kind, bias in (("event", -1.5), ("entity", -1.0)):
            model.vector_scorer.of_kind(kind).layers.free[-1].weight.normal_(std=10.0)
            model.vector_scorer.of_kind(kind).layers.free[-1].bias.fill_(bias)
        model.detector.output.weight.normal_(std=3.0)
        model.detector.output.bias.fill_(-2.0)
    folder = tmp_path_factory.mktemp("models") / "tiny"
    model.save_pretrained(folder, "# A model for tests\n")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_model_folder: Path) -> CorefModel:
    """The model of `tiny_model_folder`; a test that changes it takes a copy."""
    from cdcoref.model import CorefModel

    return CorefModel.from_pretrained(tiny_model_folder)


@pytest.fixture(scope="session")
def pair_model(tiny_encoder: Path) -> CorefModel:
    """An untrained model that reads every pair of mentions together, as in the paper, and whose scorer is bold."""
    import torch

    from cdcoref.inputs import SequenceOptions
    from cdcoref.model import CorefConfig, CorefModel

    torch.manual_seed(8)
    config = CorefConfig(SequenceOptions(max_length=256), scorer_width=16, detector_width=0)
    model = CorefModel.from_encoder(tiny_encoder, config).eval()
    assert model.pair_scorer is not None
    with torch.no_grad():
        model.pair_scorer.output.weight.normal_(std=2.0)
    return model


@pytest.fixture
def cdcoref(run_command: Callable[..., Finished]) -> Callable[..., Finished]:
    """Run ``cdcoref`` with some arguments, as its entry point does, but in this process."""
    from cdcoref.cli import main

    return partial(run_command, main, "cdcoref")


NOUNS = {"ferry", "storm", "captain", "police", "thieves", "painting", "museum", "guard", "maren"}
VERBS = {"sank", "arrested", "stole", "saw"}


def annotated(id: str, *sentences: str) -> Corpus:
    """A document whose nouns are entities and whose verbs are events, by the lists above."""
    document = Document.from_sentences(id, [sentence.split() for sentence in sentences])
    mentions = []
    for token, word in enumerate(document.tokens):
        kind = "entity" if word.lower() in NOUNS else "event" if word in VERBS else None
        if kind is not None:
            mentions.append(Mention(id, (token,), kind))
    return Corpus((document,), tuple(mentions))


def grouping_f1(documents: Sequence[Document], groups: Sequence[Sequence[str]]) -> float:
    """How well groups of documents match their annotated subtopics: B3 F1 over documents."""
    from cdcoref.scoring import score
    from cdcoref.stories import group_documents

    return score(group_documents(documents, "gold_subtopic"), groups, metrics=["b3"])["b3"].f1


def joined(*corpora: Corpus) -> Corpus:
    """Several corpora as one."""
    return Corpus(
        tuple(document for corpus in corpora for document in corpus.documents),
        tuple(mention for corpus in corpora for mention in corpus.mentions),
    )


class Written:
    """The functions above, for tests."""

    annotated = staticmethod(annotated)
    joined = staticmethod(joined)


@pytest.fixture(scope="session")
def written() -> type[Written]:
    """Functions that write documents with mentions, so that no model is needed."""
    return Written


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser: install one of {', '.join(BROWSERS)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def expect_no_script_runs() -> Callable[[Page], None]:
    """Make sure that a page runs and loads nothing that is put into it."""

    def expect_no_script_runs(page: Page) -> None:
        refused = page.evaluate(
            """() => {
                const refused = [];
                addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
                const script = document.createElement('script');
                script.textContent = 'window.harmed = 1';
                document.body.append(script);
                const image = document.createElement('img');
                image.src = 'http://127.0.0.1:9/x.png';
                document.body.append(image);
                const frame = document.createElement('div');
                frame.innerHTML = '<p onclick="window.harmed = 1" style="color: red">';
                document.body.append(frame);
                frame.firstChild.click();
                return new Promise((done) => setTimeout(() => done([refused, window.harmed]), 100));
            }"""
        )
        assert refused[1] is None
        assert {"script-src-elem", "img-src", "script-src-attr", "style-src-attr"} <= set(refused[0])

    return expect_no_script_runs
