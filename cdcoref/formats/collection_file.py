"""A collection's file in, its documents, mentions and clusters as a Corpus out."""

import base64
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from cdcoref.corpus import EVENT, KINDS, ClusterKey, Corpus, Document, Mention
from cdcoref.errors import InputError, first_line
from cdcoref.facts import Period
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.jsonl import document_fields
from cdcoref.formats.jsonl_parsing import document_attributes
from cdlm.packed import DAMAGE

APPLICATION_ID = 0x43444352
"""``CDCR``, in the header of every collection."""
COLLECTION_VERSION = 19
"""Version of the tables; a file of another version is refused."""
COLLECTION_SUFFIX = ".cdcoref"

_MAGIC = b"SQLite format 3\0"
_DOCUMENTS = "SELECT id, text, fields FROM documents WHERE true {} ORDER BY number"
_MENTIONS = (
    "SELECT documents.id, mentions.tokens, mentions.kind, mentions.cluster, mentions.source_id, mentions.tag, "
    "mentions.confidence FROM mentions JOIN documents ON documents.number = mentions.document "
    "WHERE NOT mentions.rejected {} ORDER BY mentions.document, mentions.place"
)
UNKNOWN = "unknown"
"""What people state as the day of an event whose day is not known."""
_PARSE = ', "parse": '
_CHECKSUM = ', "checksum": '


def stored_fields(document: Document) -> str:
    """What is stored of a document besides its id and text, its parse too, as JSON with a checksum of all of it."""
    body = plain_fields(document)[:-1]
    if document.parse is not None:
        body += f'{_PARSE}"{base64.b64encode(document.parse).decode()}"'
    return f"{body}{_CHECKSUM}{_checksum(document.id, document.text, body)}}}"


def plain_fields(document: Document) -> str:
    """What :func:`stored_fields` gives, without the checksum."""
    fields = document_fields(replace(document, copy_of=None, story=None), ())
    return json.dumps({name: value for name, value in fields.items() if name not in ("id", "text", "mentions")})


def _checksum(*parts: str) -> int:
    return zlib.crc32("\0".join(parts).encode(errors="surrogatepass"))


def stored_document(id: str, text: str, fields: str) -> Document:
    """A document from what is stored of it."""
    try:
        known = json.loads(fields)
        if known.pop("checksum") != _checksum(id, text, fields.rpartition(_CHECKSUM)[0]):
            raise ValueError("the checksum is another one")
        if any(end > len(text) for _, end in known["offsets"][-1:]):
            raise ValueError("the text ends before its last word")
        parse = known.pop("parse", None)
        return Document(
            id,
            tuple(known["tokens"]),
            tuple((start, end) for start, end in known["sentences"]),
            text,
            tuple((start, end) for start, end in known["offsets"]),
            **document_attributes(known),
            parse=None if parse is None else base64.b64decode(parse),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise sqlite3.DatabaseError(f"what is stored of document {id!r} is damaged") from error


_SHARED_INDEX = 32_768
"""Bytes of the file by which readers and a writer of a database know of each other."""
_SAID = {
    ("locked", "busy"): "another program is writing to the collection; try again when it has finished",
    ("full",): "the disk is full; nothing was changed",
    tuple(f"SQLITE_IOERR_{what}" for what in ("FSYNC", "SHMMAP", "SHMOPEN", "SHMSIZE", "TRUNCATE", "WRITE")): (
        "the disk is full, or files on it may not grow; nothing was changed"
    ),
    ("not a database",): "this is not a collection",
    ("readonly",): "the file cannot be written",
}
"""What is said of errors of SQLite, by words in their messages and names; where several fit, the first."""
_DAMAGE_WORDS = ("SQLITE_IOERR_SHORT_READ", "malformed", "damaged", "corrupt", "decode", "no such table")


def cluster_id(number: int) -> str:
    """The name of a cluster that is stored under a number.

    >>> cluster_id(17)
    'c17'
    """
    return f"c{number}"


def connect_to_collection(path: str | Path) -> sqlite3.Connection:
    """A connection that can only read."""
    file = Path(os.path.abspath(path))
    if not is_collection(file):
        raise InputError("this is not a collection", path)
    # Without room for it SQLite cannot make the file by which readers and a writer know of each other.
    log = Path(f"{file}-wal")
    alone = not has_room_beside(file) and not (log.exists() and log.stat().st_size)
    uri = f"file:{quote(str(file))}?mode=ro{'&immutable=1' if alone else ''}"
    with collection_errors(path):
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=60)
        try:
            check_collection(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def has_room_beside(path: Path) -> bool:
    """Whether the files that SQLite needs to write a collection can be made: its folder can be written and has room."""
    return os.access(path.absolute().parent, os.W_OK) and _free_beside(path) >= _SHARED_INDEX


def _free_beside(path: Path) -> int:
    """Bytes that are free on the disk of a file; 0 if its folder is gone."""
    try:
        return shutil.disk_usage(path.absolute().parent).free
    except OSError:
        return 0


def check_collection(connection: sqlite3.Connection, path: str | Path) -> None:
    """Refuse a database that is no collection, or one of another version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise InputError("this SQLite database is not a collection", path)
    if version != COLLECTION_VERSION:
        advice = "install a newer program" if version > COLLECTION_VERSION else "make a new one from its documents"
        raise InputError(
            f"the collection is of version {version}, and this program reads version {COLLECTION_VERSION}; {advice}",
            path,
        )


def is_collection(path: str | Path) -> bool:
    """Whether a file may be a collection: whether it is an SQLite database."""
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except IsADirectoryError:
        raise InputError("this is a folder, not a collection", path) from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from None


@contextmanager
def collection_errors(path: str | Path) -> Iterator[None]:
    """Turn the errors of the database, also for values that it cannot store, into an error of one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        what, clues = first_line(error), f"{error} {getattr(error, 'sqlite_errorname', '')}"
        if "readonly" in what and _free_beside(Path(path)) < _SHARED_INDEX:
            clues = "full"
        said = next((said for words, said in _SAID.items() if any(word in clues for word in words)), None)
        if said is None and any(word in clues for word in _DAMAGE_WORDS):
            said = _damaged(path, "its end is missing" if "SHORT_READ" in clues else what)
        elif said is None and isinstance(error, sqlite3.IntegrityError) and (found := _damage_in(path)) is not None:
            said = _damaged(path, found)
        raise InputError(said or f"the collection cannot be used ({what})", path) from error
    except UnicodeDecodeError as error:
        raise InputError(_damaged(path, "a text is not valid UTF-8"), path) from error
    except UnicodeEncodeError as error:
        raise InputError("an id or a word contains half of a surrogate pair, which is not a character", path) from error
    except OverflowError as error:
        if "SQLite" not in str(error):
            raise
        raise InputError("a number is too large; give a smaller one", path) from error
    except MemoryError as error:  # SQLite's answer to a length that damage made absurd
        raise InputError("the collection is damaged, or too large for the memory of this machine", path) from error
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        # A value of another type than was stored; anything else that raises these is a fault of this program.
        if (found := _damage_in(path)) is None:
            raise
        raise InputError(_damaged(path, found), path) from error


def _damaged(path: str | Path, what: str) -> str:
    """A clause that says that a collection is damaged, and what to do about it."""
    return f"the collection is damaged ({what}); restore a copy of it, or make a new one from its documents"


def _damage_in(path: str | Path) -> str | None:
    """What is damaged in a collection: the first thing that is found; None if nothing is."""
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=60)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                return str(found).splitlines()[-1]  # the first may only name the database
            if column := _column_of_another_type(connection):
                return f"the column {column} has a value of another type"
            corpus_in(connection)
            for (kind,) in connection.execute("SELECT DISTINCT kind FROM mentions UNION SELECT kind FROM clusters"):
                if kind not in (None, *KINDS):
                    return f"there is the kind {kind!r}"
    except (sqlite3.Error, InputError, *DAMAGE) as error:
        return first_line(error)
    return None


def _column_of_another_type(connection: sqlite3.Connection) -> str | None:
    """The first column with a value that is not of the type it is declared with; None if there is none."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'")
    for (table,) in tables.fetchall():
        for _, column, declared, *_ in connection.execute(f"PRAGMA table_info('{table}')").fetchall():
            allowed = {"INTEGER": "('integer')", "REAL": "('integer', 'real')", "TEXT": "('text')", "BLOB": "('blob')"}
            if declared in allowed:
                other = f'"{column}" IS NOT NULL AND typeof("{column}") NOT IN {allowed[declared]}'
                if connection.execute(f"SELECT 1 FROM '{table}' WHERE {other} LIMIT 1").fetchone():  # noqa: S608 (names from the schema)
                    return f"{table}.{column}"
    return None


def corpus_in(connection: sqlite3.Connection, stories: Sequence[int] | None = None) -> Corpus:
    """A collection, or some stories of it, as a corpus: documents as they were added, mentions by place, names."""
    values = () if stories is None else tuple(stories)
    chosen = "" if stories is None else f"AND documents.story IN ({', '.join('?' * len(values))})"
    rows = connection.execute(_DOCUMENTS.format(chosen), values)
    original_of = stored_copies(connection)
    documents = [replace(stored_document(*row), copy_of=original_of.get(row[0])) for row in rows]
    mentions = connection.execute(_MENTIONS.format(chosen), values)
    named = connection.execute("SELECT kind, number, name FROM clusters WHERE name IS NOT NULL AND mentions > 0")
    names = {}
    for kind, number, name in named:
        if not isinstance(name, str):
            raise sqlite3.DatabaseError(f"the name of cluster {cluster_id(number)} is damaged")
        names[kind, cluster_id(number)] = name
    stated, titles = stated_facts(connection), _story_titles(connection)
    found = tuple(stored_mention(*row) for row in mentions)
    return Corpus(tuple(documents), found, names=names, stated=stated, titles=titles)


def _story_titles(connection: sqlite3.Connection) -> dict[str, str]:
    """What people call stories, by the id of a document of each, the last correction last."""
    query = (
        "SELECT id, name, max(corrections.number) AS last FROM corrections "
        "JOIN corrected ON correction = corrections.number JOIN documents ON documents.content = corrected.content "
        "WHERE action = 'rename-story' AND undone IS NULL GROUP BY id ORDER BY last"
    )
    return {id: str(title) for id, title, _ in connection.execute(query)}


def stated_facts(connection: sqlite3.Connection) -> dict[ClusterKey, dict[str, str]]:
    """What people state of events: ``"day"`` and ``"place"``."""
    found: dict[ClusterKey, dict[str, str]] = {}
    for cluster, fact, value in connection.execute("SELECT cluster, fact, value FROM facts"):
        if not isinstance(value, str) or (fact == "day" and value != UNKNOWN and Period.of_iso(value) is None):
            raise sqlite3.DatabaseError(f"the {fact} of cluster {cluster_id(cluster)} is damaged")
        found.setdefault((EVENT, cluster_id(cluster)), {})[fact] = value
    return found


def stored_copies(connection: sqlite3.Connection) -> dict[str, str]:
    """The original of every near-duplicate, by id: the longest of the copies of a text."""
    query = (
        "SELECT copies.text, id FROM copies JOIN documents ON number = document "
        "ORDER BY length(documents.text) DESC, number"
    )
    original: dict[int, str] = {}
    return {id: original[text] for text, id in connection.execute(query) if original.setdefault(text, id) != id}


def stored_mention(
    document: str,
    tokens: str,
    kind: str | None,
    cluster: int | None,
    source_id: str | None = None,
    tag: str | None = None,
    confidence: float | None = None,
) -> Mention:
    """A mention from what is stored of it; its cluster is named by the cluster's number."""
    name = None if cluster is None else cluster_id(cluster)
    try:
        if not isinstance(confidence, float | int | None):
            raise TypeError("the confidence is no number")
        return Mention(document, tuple(json.loads(tokens)), kind, name, source_id, tag, confidence)
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"what is stored of a mention of document {document!r} is damaged") from error


def read_collection(path: str | Path, _: ReadOptions | None = None) -> Corpus:
    """Read the documents, mentions and clusters of a collection."""
    with closing(connect_to_collection(path)) as connection, collection_errors(path):
        connection.execute("BEGIN")
        return corpus_in(connection)


_TABLE = table_reader(read_collection)
COLLECTION = Format("collection", (COLLECTION_SUFFIX,), read_collection, lambda start: start.startswith(_MAGIC), _TABLE)
