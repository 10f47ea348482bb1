"""Files of the annotation tool CAT, as ECB+ is distributed: one document's XML in, its tokens and sentences out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def parse_document(path: Path) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, parse

    try:
        root = parse(path, forbid_dtd=True).getroot()
    except ParseError as error:
        line = error.position[0] if error.position else None
        raise InputError(f"the XML is malformed or cut off ({error.msg}); get the file anew", path, line) from error
    except DefusedXmlException as error:
        raise InputError(
            "the XML declares a document type or entities, which ECB+ never does; refused", path
        ) from error
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(f"the file cannot be read ({error})", path) from error
    if root is None or root.tag != "Document":
        raise InputError("this is no ECB+ document: its outermost element is not <Document>", path)
    return root


def read_tokens(path: Path, root: Element) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """Index of every token id, and the sentences as (number, words)."""
    numbers: dict[str, int] = {}
    sentences: list[tuple[int, list[str]]] = []
    for token in root.iterfind("token"):
        name, sentence = token.get("t_id"), token.get("sentence", "")
        if name is None or not sentence.isdecimal():
            raise InputError(f"a token ({token.text!r}) has no t_id or no sentence number", path)
        if name in numbers:
            raise InputError(f"two tokens have the t_id {name}", path)
        numbers[name] = len(numbers)
        if not sentences or sentences[-1][0] != int(sentence):
            sentences.append((int(sentence), []))
        sentences[-1][1].append("".join((token.text or "").split()) or "_")
    if not numbers:
        raise InputError("this document has no tokens", path)
    return numbers, sentences
