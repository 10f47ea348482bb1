"""Commands on a collection that read nothing do without PyTorch and spaCy, which take seconds to import."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cdcoref.collection import Collection

LINES = [
    {
        "id": "a",
        "text": "The ferry sank in the storm.",
        "mentions": [{"start": 4, "end": 9, "kind": "entity"}, {"start": 10, "end": 14, "kind": "event"}],
    },
    {
        "id": "b",
        "text": "She saw the sinking of a ferry.",
        "mentions": [{"start": 0, "end": 3, "kind": "entity"}, {"start": 12, "end": 19, "kind": "event"}],
    },
]
COMMANDS = """
import json, sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "spacy", "thinc"):
            raise RuntimeError(name + " is imported")

sys.meta_path.insert(0, Refusing())
from cdcoref.cli import main

for arguments in json.loads(sys.argv[1]):
    sys.argv = ["cdcoref", *arguments]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
"""


def test_work_without_pytorch(cdcoref: Callable[..., Any], tiny_model_folder: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "news.cdcoref")
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    done = cdcoref("add", file, texts, "--model", tiny_model_folder)
    assert done.code == 0, done.err
    with Collection.open(file) as collection:
        mentions = [m for id in "ab" for m in collection.document(id).mentions]
    one, two = (m.id for m in mentions if m.kind == "event")
    commands = [
        ["show", file],
        ["show", file, "--stories"],
        ["correct", file, "same", one, two],
        ["correct", file, "undo"],
        ["correct", file, "not-same", one, two],
        ["correct", file, "not-a-mention", two],
        ["correct", file, "list"],
        ["correct", file, "rename", "c1", "A name"],
        ["export", file, "-o", str(tmp_path / "out.jsonl")],
        ["remove", file, "a"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(commands)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with Collection.open(file) as collection:
        assert len(collection.documents()) == 1
        assert [c.action for c in collection.corrections()] == ["same", "not-same", "not-a-mention", "rename"]
