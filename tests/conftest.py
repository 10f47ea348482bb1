"""Fixtures that several test files share."""

from __future__ import annotations

import functools
import gc
import io
import json
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.commands import Finished

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus, Document
    from cdcoref.predict import Predictor
    from cdlm.tokens import Tokenizer

# Models of tests are tiny; libraries read this when they are imported, here and in processes that tests start.
os.environ["OMP_NUM_THREADS"] = "1"
# Every full collection passes over a million objects of the libraries: 5 % of the time, as often as usual.
gc.set_threshold(20_000, 20, 100)

settings.register_profile("untimed", deadline=None, max_examples=25)  # a busy machine is no failure
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "data" / "sample"
BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'-"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with corpora and conformance data, which are not part of this repository."""
    folder = Path(os.environ.get("CDCOREF_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip("no shared data: set CDCOREF_SHARED to the folder with corpora/ and conformance/")
    return folder


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """Run an entry point, by name, with some arguments in this process."""

    def run(main: Callable[[], object], name: str, *arguments: object, standard_input: bytes = b"") -> Finished:
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input), encoding="utf-8"))
        capsys.readouterr()
        code: int | str | None = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        assert isinstance(code or 0, int), code
        return Finished(int(code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for tests that have the same texts read again, whichever worker runs them."""
    folder = tmp_path_factory.getbasetemp()
    return (folder.parent if os.environ.get("PYTEST_XDIST_WORKER") else folder) / "computed"


@pytest.fixture(scope="session", autouse=True)
def parsed_once() -> Iterator[None]:
    """Words that many tests read are parsed once a session; `cdcoref.facts.parse` itself remembers nothing."""
    from cdcoref.facts import ENGLISH, Parse, parse

    known: dict[tuple[object, ...], Parse] = {}

    def remembered(documents: Iterable[Document], pipeline: str | Path = ENGLISH) -> Iterator[Parse]:
        given = [((str(pipeline), one.tokens, one.sentences, one.hidden), one) for one in documents]
        new = {key: one for key, one in given if key not in known}
        known.update(zip(new, parse(new.values(), pipeline), strict=True))
        return (known[key] for key, _ in given)

    with pytest.MonkeyPatch.context() as patch:
        for module in ("facts.parsing", "inputs.span_features", "reading.readings"):
            patch.setattr(f"cdcoref.{module}.parse", remembered)
        yield


@pytest.fixture(scope="session")
def loaded_once() -> Callable[..., Predictor]:
    """What takes the place of `_loaded` of the predictor: a model is read once a session; no test may change it."""
    from cdcoref.model import find_model

    once = functools.cache(resolve_name("cdcoref.predict.predictor:_loaded"))
    return lambda model, *how: once(find_model(model), *how)


@pytest.fixture(scope="module")
def models_are_read_once(loaded_once: Callable[..., Predictor]) -> Iterator[None]:
    """Models that ship are read and hashed once a session."""
    from cdcoref.model import model_fingerprint

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cdcoref.predict.predictor._loaded", loaded_once)
        patch.setattr("cdcoref.model.model_fingerprint", functools.cache(model_fingerprint))
        yield


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Sums are the same bit by bit only with the same number of threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def small_files() -> Callable[[int], AbstractContextManager[None]]:
    """A context in which no file may grow beyond some bytes, as if the disk were full."""
    resource = pytest.importorskip("resource")

    @contextmanager
    def limited(limit: int) -> Iterator[None]:
        before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)

    return limited


@pytest.fixture(scope="session")
def ecb_root(shared: Path) -> Path:
    """ECB+, topics 1-35."""
    return shared / "corpora" / "ecbplus"


@pytest.fixture(scope="session")
def ecb_dev(ecb_root: Path) -> Corpus:
    """The dev split of ECB+."""
    from cdcoref.corpora import read_ecb

    return read_ecb(ecb_root, "dev")


# -- tokenizers and an encoder; they are made once a session and may not be changed ------------------------------------


@pytest.fixture(scope="session")
def wordpiece() -> Tokenizer:
    """A WordPiece tokenizer: the sample's 150 most frequent words, and every character as a beginning and inside."""
    from tokenizers import Tokenizer as Backend
    from tokenizers import models, normalizers, pre_tokenizers

    from cdlm.tokens import SPECIAL_TOKENS, Tokenizer

    counts = Counter(" ".join(path.read_text() for path in sorted(SAMPLE.glob("*.txt"))).lower().split())
    words = sorted((word for word in counts if word.isalpha() and len(word) > 1), key=lambda w: (-counts[w], w))[:150]
    pieces = [*BERT_TOKENS, *CHARACTERS, *(f"##{c}" for c in CHARACTERS), *words]
    backend = Backend(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return Tokenizer(backend, dict(zip(names, BERT_TOKENS, strict=True)) | {"extra_special_tokens": SPECIAL_TOKENS})


@pytest.fixture(scope="session")
def byte_bpe() -> Tokenizer:
    """A byte-level tokenizer as RoBERTa's: all bytes, and a merge for the word ``the`` after a space."""
    from tokenizers import Tokenizer as Backend
    from tokenizers import models, pre_tokenizers

    from cdlm.tokens import SPECIAL_TOKENS, Tokenizer

    pieces = [*ROBERTA_TOKENS, *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġt", "he", "Ġthe"]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    backend = Backend(models.BPE(vocabulary, [("Ġ", "t"), ("h", "e"), ("Ġt", "he")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    roles = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return Tokenizer(backend, roles | {"extra_special_tokens": SPECIAL_TOKENS})


@pytest.fixture(scope="session")
def tiny_encoder(wordpiece: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Longformer checkpoint with two layers of width 32 and windows of 16 tokens."""
    import torch

    from cdlm.config import EncoderConfig
    from cdlm.encoder import CDLMModel

    torch.manual_seed(7)
    config = EncoderConfig(
        vocab_size=len(wordpiece), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        attention_window=(16, 16), max_position_embeddings=513, pad_token_id=0, hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1, initializer_range=0.2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("encoder")
    CDLMModel(config).save_pretrained(folder)
    wordpiece.save(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_biased_encoder(wordpiece: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an encoder with relative positions: three layers of width 32 and windows of 128 tokens."""
    import torch

    from cdlm.config import EncoderConfig
    from cdlm.encoder import CDLMModel

    torch.manual_seed(9)
    config = EncoderConfig(
        vocab_size=len(wordpiece), hidden_size=32, num_hidden_layers=3, num_attention_heads=2, intermediate_size=64,
        attention_window=(128, 128, 128), max_position_embeddings=513, pad_token_id=0, hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1, initializer_range=0.2, relative_attention_num_buckets=16,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("biased-encoder")
    CDLMModel(config).save_pretrained(folder)
    wordpiece.save(folder)
    return folder


# -- a stand-in for the hub --------------------------------------------------------------------------------------------


class LocalHub:
    """A hub on this machine: what huggingface_hub asks of the real one to download a model."""

    def __init__(self) -> None:
        self.models: dict[str, dict[str, bytes]] = {}
        self.private: set[str] = set()
        self.delay = 0.0
        self.requests: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self) -> None:
                status, headers, content = hub.answer(self.command, self.path)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    with suppress(BrokenPipeError):  # whoever asked has gone
                        self.wfile.write(content)

            do_GET = do_HEAD = respond

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop; nobody answers at the address any more, on connections that are open neither."""
        from huggingface_hub import close_session

        close_session()
        self._server.shutdown()
        self._server.server_close()

    def add(self, name: str, folder: Path) -> None:
        """Put the files of a folder on the hub."""
        self.models[name] = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def answer(self, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and content of the answer to a request."""
        self.requests.append(f"{method} {path}")
        time.sleep(self.delay)
        match = re.match(r"(?:/api/models)?/([\w.-]+/[\w.-]+)(/.*)?$", path.partition("?")[0])
        name, rest = (match[1], match[2] or "") if match else ("", "")
        if name not in self.models or name in self.private:
            return _json({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})
        files = self.models[name]
        commit = sha256(json.dumps(sorted(files)).encode()).hexdigest()[:40]
        if rest.startswith("/tree/"):
            listed = [{"type": "file", "path": f, "size": len(c), "oid": _etag(c)} for f, c in files.items()]
            return _json(listed)
        if rest.startswith("/resolve/"):
            content = files.get(rest.split("/", 3)[3])
            if content is None:
                return _json({"error": "Entry not found"}, 404, {"X-Error-Code": "EntryNotFound"})
            return 200, {"X-Repo-Commit": commit, "ETag": f'"{_etag(content)}"'}, content
        return _json({"id": name, "sha": commit, "siblings": [{"rfilename": file} for file in files]})


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    return status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode()


def _etag(content: bytes) -> str:
    return sha256(content).hexdigest()[:40]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """A hub of its own for this process, empty, with an empty cache and somebody logged in."""
    from huggingface_hub import close_session, constants

    close_session()
    local = LocalHub()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr(constants, "ENDPOINT", local.address)
    url = local.address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    yield local
    local.close()
