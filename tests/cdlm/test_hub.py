"""Models on the hub, held against a stand-in on this machine: downloads, the cache, and what goes wrong."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from cdlm.checkpoints import find_checkpoint
from cdlm.convert import convert
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.hub import download
from cdlm.starting_encoders import encoder_folder

if TYPE_CHECKING:
    from conftest import LocalHub

SECONDS = 15
"""A hub that does not answer is reported sooner than this; huggingface_hub alone goes on for half a minute."""


def test_a_checkpoint_of_the_hub_is_the_one_that_was_put_there(hub: LocalHub, tiny_encoder: Path) -> None:
    hub.add("lab/encoder", tiny_encoder)
    hub.models["lab/encoder"] |= {"flax_model.msgpack": b"not for us", "code.py": b"print('not for us')"}
    model, same = CDLMModel.from_pretrained("lab/encoder"), CDLMModel.from_pretrained(tiny_encoder)
    assert all(torch.equal(w, same.state_dict()[name]) for name, w in model.state_dict().items())
    taken = {path.name for path in find_checkpoint("lab/encoder").iterdir()}
    assert taken == {path.name for path in tiny_encoder.iterdir()}


def test_weights_that_are_only_pickled_are_taken_where_they_may_be(hub: LocalHub, tiny_encoder: Path) -> None:
    hub.add("lab/old", tiny_encoder)
    files = hub.models["lab/old"]
    del files["model.safetensors"]
    files["pytorch_model.bin"] = b"weights"
    assert (find_checkpoint("lab/old") / "pytorch_model.bin").read_bytes() == b"weights"
    with pytest.raises(InputError, match="lab/old: this model on the hub has no safetensors weights"):
        download("lab/old", ["*.json", "model*.safetensors"])


def test_what_was_downloaded_is_used_without_a_network(hub: LocalHub, tiny_encoder: Path) -> None:
    hub.add("lab/encoder", tiny_encoder)
    first = find_checkpoint("lab/encoder")
    asked = len(hub.requests)
    assert find_checkpoint("lab/encoder") == first
    # The files themselves are not asked for again.
    assert not [request for request in hub.requests[asked:] if "/resolve/" in request]
    hub.close()
    assert find_checkpoint("lab/encoder") == first


def test_a_silent_hub_is_reported_at_once(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    hub.close()
    started = time.monotonic()
    sentence = rf"lab/nothing: there is no such folder, and the hub at {re.escape(hub.address)} cannot be asked"
    with pytest.raises(InputError, match=sentence) as raised:
        CDLMModel.from_pretrained("lab/nothing")
    with pytest.raises(InputError, match=sentence):
        convert("lab/nothing", tmp_path / "long")
    with pytest.raises(InputError, match=sentence), encoder_folder("lab/nothing"):
        pass
    assert time.monotonic() - started < SECONDS
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "long").exists()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="HF_HUB_OFFLINE is set"):
        CDLMModel.from_pretrained("lab/nothing")


def test_a_model_that_the_hub_does_not_have_is_named(hub: LocalHub, tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match=r"^lab/nothing: there is no such folder, and the hub has no"):
        find_checkpoint("lab/nothing")
    hub.add("lab/private", tiny_encoder)
    hub.private.add("lab/private")
    with pytest.raises(InputError, match=r"hf auth login"):
        find_checkpoint("lab/private")
    for name in ("a folder", "../folder", "one/two/three", "/nowhere", "x" * 200, "lab/-x-"):
        asked = len(hub.requests)
        with pytest.raises(InputError, match="this is neither a folder nor the name of a model on a hub"):
            find_checkpoint(name)
        assert len(hub.requests) == asked


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]
