"""The JSON Schemas of what cdcoref writes as JSON, each with a version: a name in, the schema out.

A schema changes its version when a program that reads the earlier one could fail on what is written now.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from cdcoref.errors import InputError

SCHEMAS = {"document": 1, "prediction": 1}
"""The schemas and their versions.

``document`` is a line of JSON lines, ``prediction`` is what `cdcoref.predict.Prediction.to_json` gives.
"""


def json_schema(name: str = "document") -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an output.

    The name is one of :data:`SCHEMAS`.

    Raises `InputError` if there is no such schema.

    >>> json_schema("document")["$id"]
    'urn:cdcoref:schema:document:1'
    """
    if name not in SCHEMAS:
        raise InputError(f"there is no schema {name!r}; choose {' or '.join(SCHEMAS)}")
    text = files("cdcoref.formats").joinpath(f"schemas/{name}-{SCHEMAS[name]}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
