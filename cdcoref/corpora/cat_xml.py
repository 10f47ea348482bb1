"""Files of the CAT annotation tool (ECB+, MEANTIME): one document's XML in, its parts out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.corpora.splits import is_number
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def parse_document(path: Path, corpus: str) -> Element:
    """The root element of a document."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, parse

    try:
        root = parse(path, forbid_dtd=True).getroot()
    except ParseError as error:
        line = error.position[0] if error.position else None
        message = f"the XML is malformed or truncated ({error.msg}); download the file again"
        raise InputError(message, path, line) from error
    except DefusedXmlException as error:
        message = f"the XML declares a document type or entities, which {corpus} never does; the file is rejected"
        raise InputError(message, path) from error
    except (LookupError, ValueError, OSError) as error:  # an encoding that is unknown or wrong
        raise InputError(f"the file cannot be read ({error})", path) from error
    if root is None or root.tag != "Document":
        is_naf = root is not None and root.tag == "NAF"
        hint = "; this is NAF, which has no links across documents: use the CAT files" if is_naf else ""
        raise InputError(f"this is not a document of {corpus}: its root element is not <Document>{hint}", path)
    return root


def read_tokens(path: Path, root: Element) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """The index of every token id, and the sentences as (number, words)."""
    numbers: dict[str, int] = {}
    sentences: list[tuple[int, list[str]]] = []
    for token in root.iterfind("token"):
        name, sentence = token.get("t_id"), token.get("sentence", "")
        if name is None or not is_number(sentence):
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


def anchored_tokens(path: Path, markable: Element, numbers: dict[str, int]) -> tuple[int, ...]:
    """The tokens that a markable is anchored to, ascending; none for an instance, which represents a cluster."""
    anchors = [anchor.get("t_id", "") for anchor in markable.iterfind("token_anchor")]
    missing = [t for t in anchors if t not in numbers]
    if missing:
        raise InputError(f"mention {markable.get('m_id', '')} points to token {missing[0]}, which does not exist", path)
    return tuple(sorted({numbers[t] for t in anchors}))
