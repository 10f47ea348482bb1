"""Files with many documents, pages and their dates, and inputs that have no end of something."""

from __future__ import annotations

import io
import json
import os
import re
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from cdcoref.circumstances import day_of
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, read_file, write_corpus
from tests.tables import cases

FERRY = "A ferry sank off Tresk. 19 people died."


def mail(subject: str, body: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "The Courier <news@courier.example>", subject
    message["Date"], message["Message-ID"] = "Thu, 07 Mar 2024 08:30:00 +0100", "<1@courier.example>"
    message.set_content(f"{body}\n\nThis e-mail is confidential.\n\n-- \nUnsubscribe\n")
    message.add_alternative(f"<html><p>{body}</p></html>", subtype="html")
    return bytes(message)


def mbox() -> bytes:
    parts = (mail("Ferry sinks", FERRY), mail("Mill burns", "A café burnt."))
    return b"".join(b"From x@y.example Thu Mar  7 08:30:00 2024\n" + part + b"\n" for part in parts)


def warc() -> bytes:
    stream = io.BytesIO()
    writer = WARCWriter(stream, gzip=True)
    for name, text in (("ferry", FERRY), ("mill", "A café burnt in Tresk.")):
        page = f"<html><head><title>The {name}</title></head><body><p>{text}</p></body></html>".encode()
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.0")
        address = f"https://courier.example/{name}"
        writer.write_record(writer.create_warc_record(address, "response", io.BytesIO(page), http_headers=headers))
    return stream.getvalue()


FEED = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>The Courier</title>
<item><title>Ferry sinks</title><link>https://courier.example/f</link><pubDate>Thu, 07 Mar 2024 08:30:00 GMT</pubDate>
<description>&lt;p&gt;{FERRY}&lt;/p&gt;</description></item>
<item><title>Mill burns</title><description>A café burnt.</description></item></channel></rss>"""
HEADLINES = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>The Courier</title>
<item><title>Ferry sinks</title><description>&lt;p&gt;&lt;/p&gt;</description></item><item><link>https://courier.example/g</link></item>
<item><title>Mill burns</title><description>{FERRY}</description></item></channel></rss>"""
# A caption, and what WordPress has not published.
ADDED = FEED.replace(
    "<rss", "<rss xmlns:media='http://search.yahoo.com/mrss/' xmlns:wp='http://wordpress.org/export/1.2/'"
)
ADDED = ADDED.replace(
    "</pubDate>", "</pubDate><media:content><media:description>A hen</media:description></media:content>"
)
for state in ("status>draft</wp:status", "post_type>attachment</wp:post_type"):
    ADDED = ADDED.replace(
        "<item><title>M", f"<item><wp:{state}><description>Subject.</description></item><item><title>M", 1
    )
OLD_NEXIS, PROQUEST = (
    (Path(__file__).parent / name).read_text(encoding="utf-8").format(FERRY=FERRY)
    for name in ("old_nexis.txt", "proquest.txt")
)
NEW_NEXIS = f"""Ferry sinks\n\nThe Courier\n\nMarch 7, 2024 Thursday\n\nCopyright 2024 The Courier All Rights Reserved

Length: 7 words\n\nByline: Ann Lee\n\nBody\n\n{FERRY}\n\nLoad-Date: March 8, 2024\n\nEnd of Document

Mill burns\n\nThe Courier\n\nMarch 9, 2024\n\nLength: 3 words\n\nBody\n\nA café burnt.\n\nEnd of Document\n"""
LISTED = (
    "\n{}. {}\n\nClient/Matter: -None-\n\nSearch Terms: ferry\n\nNarrowed by:\n\nTimeline: 1 Mar 2024 to 9 Mar 2024\n"
)
COVER = (
    "User Name: Ann Lee\n\nDate and Time: Monday, 11 March 2024 10:14:00 GMT\n\nJob Number: 1\n\nDocuments (2)\n"
    f"{LISTED.format(1, 'Ferry sinks')}{LISTED.format(2, 'Mill burns')}\n{NEW_NEXIS}"
)
FACTIVA = f"""SE  News\nHD  Ferry sinks\nBY  By Ann Lee\nWC  7 words\nPD  7 March 2024\nSN  The Courier
CY  Copyright 2024\n\nLP  \n\n{FERRY}\n\nTD\n\nAll swam.\n\nNS  Subject\nAN  Document 1\n\nSE  News\nHD  Mill burns
PD  9 March 2024\nSN  The Courier\n\nLP  \n\nA café burnt.\n\nPUB Courier Ltd.\nAN  Document 2\n"""
FILES: dict[str, bytes] = {
    "factiva.txt": FACTIVA.encode(),
    "a.mbox": mbox(),
    "a.rss": FEED.encode(),
    "added.rss": ADDED.encode(),
    "a.warc.gz": warc(),
    "old.txt": OLD_NEXIS.encode(),
    "new.txt": NEW_NEXIS.encode(),
    "cover.txt": COVER.encode(),
    "pages.txt": re.sub("(Ferry sinks|Mill burns)", r"Page 1 of 2\n\1\n\n\1", NEW_NEXIS)
    .replace("\n\nLoad-Date", "\n\nGraphic\n\nA Copyright ferry\n\nClassification\n\nSubject: FERRIES\n\nLoad-Date")
    .encode(),
    "crlf.txt": COVER.replace("\n", "\r\n").replace("Length: ", "Length:\u00a0").encode(),
    "abstract.txt": NEW_NEXIS.replace("Body\n", "Abstract\n\nIt http-sank.\n\nFull Text\n\nLink to Image\n").encode(),
    "proquest.txt": PROQUEST.encode(),
    "labels.txt": re.sub("([12] of 2) DOCUMENTS", r"Document \1", OLD_NEXIS)
    .replace("Ferry sinks", "Late City Edition\n\nHEADLINE: Ferry sinks")
    .encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_every_document_with_what_is_known_of_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    corpus = read_file(tmp_path / name)
    assert [document.id for document in corpus.documents] == [f"{name}:1", f"{name}:2"]
    first, second = corpus.documents
    assert FERRY in first.text
    assert "café burnt" in second.text
    assert not any(
        word in first.text + second.text for word in ("Unsubscribe", "Copyright", "LENGTH", "http", "Subject")
    )
    known = {"title": "The ferry" if "warc" in name else "Ferry sinks"}
    known["source"] = "courier.example" if "warc" in name else "The Courier"
    if "warc" not in name:
        known["date"] = "2024-03-07"
    assert known.items() <= dict(first.metadata).items()
    assert "read as documents" in corpus.notes[0]


@pytest.mark.parametrize(("sender", "source"), cases(__file__, "senders.tsv", "sender", "source"))
def test_the_source_of_a_forwarded_message(tmp_path: Path, sender: str, source: str) -> None:
    """It is who wrote it, not who forwarded it."""
    body = f"---- Forwarded message ----\nFrom: {sender}\nDate: Wed, 6 Mar 2024\n\n{FERRY}"
    (tmp_path / "a.eml").write_bytes(mail("Fwd: F", body))
    [document] = read_file(tmp_path / "a.eml").documents
    assert (document.metadata["source"], document.text) == (source, FERRY)


def test_what_is_attached_to_a_message(tmp_path: Path) -> None:
    """Attached texts join the document, attached messages are documents; short notes and quotations are left out."""
    outer, inner = EmailMessage(), EmailMessage()
    for message, day, subject in ((inner, 7, "Ferry sinks"), (outer, 8, "Fwd: Ferry sinks")):
        message["From"], message["Subject"] = "The Courier <news@courier.example>", subject
        message["Date"], message["Message-ID"] = f"Thu, 0{day} Mar 2024 08:30:00 +0100", f"<{day}@courier.example>"
    inner.set_content("See below.")
    inner.add_attachment(FERRY, filename="ferry.txt")
    outer.set_content("For the site, please. Ann")
    outer.add_attachment(inner)
    (tmp_path / "a.eml").write_bytes(bytes(outer))
    (tmp_path / "b.eml").write_bytes(mail("RE: Ferry", f"> Who swam?\n{FERRY}\n> And who not?\nNobody."))
    [document, answer] = (read_file(tmp_path / name).documents[0] for name in ("a.eml", "b.eml"))
    assert (document.metadata["date"], document.text.split()) == ("2024-03-07", ["See", "below.", *FERRY.split()])
    assert answer.text.split() == [*FERRY.split(), "Nobody."]


def test_one_message_and_a_download_in_word(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(mail("Fire: ferry sinks", FERRY))
    [document] = read_file(tmp_path / "a.eml").documents
    assert (document.id, document.text, document.metadata["source"]) == ("a.eml", FERRY, "The Courier")
    assert document.metadata["title"] == "Fire: ferry sinks"
    word = docx.Document()
    for line in NEW_NEXIS.split("\n"):
        word.add_paragraph(line)
    word.save(str(tmp_path / "a.docx"))
    assert [document.metadata["title"] for document in read_file(tmp_path / "a.docx").documents] == [
        "Ferry sinks",
        "Mill burns",
    ]


@pytest.mark.parametrize(("subject", "body", "text", "date"), cases(__file__, "messages.tsv", "body", "text", "date"))
def test_messages_that_hold_others(tmp_path: Path, subject: str, body: str, text: str, date: str | None) -> None:
    (tmp_path / "a.eml").write_bytes(mail(subject, body))
    [document] = read_file(tmp_path / "a.eml").documents
    assert (document.text.strip(), document.metadata["date"]) == (text, date or "2024-03-07")
    assert document.metadata["title"] == "F"


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("Pyre: four charged", "Pyre: four charged"),
        ("RE: Re : Shire: bridge shut", "Shire: bridge shut"),
        ("Mill fire: WG: a code", "Mill fire: WG: a code"),
        ("[desk] Fwd: Tide rises", "[desk] Tide rises"),
    ],
)
def test_marks_of_answers_are_cut_only_before_a_subject(tmp_path: Path, subject: str, title: str) -> None:
    (tmp_path / "a.eml").write_bytes(mail(subject, FERRY))
    assert read_file(tmp_path / "a.eml").documents[0].metadata["title"] == title


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Thursday\n", "Thursday\n  Late Edition - Final\n"),
        ("Thursday\n", "Thursday\nEdition 2;\nBorders Region\n"),
        ("Thursday\n", "Thursday\n  Correction Appended\n"),
        ("March 7, 2024 Thursday\n", "March 7, 2024\n  Thursday\n"),
        ("March 7, 2024 Thursday\n", "No republishing without consent\n\nMarch 7, 2024, Thursday, BC cycle\n"),
        ("Ferry sinks\n", "Ferry\nsinks\n"),
        ("Ferry sinks\n\nBYLINE: Ann Lee\n", "SECTION: Home;\nPg. 5\n\nBYLINE: By Ann Lee\n\nHEADLINE: Ferry\nsinks\n"),
        ("BYLINE: Ann Lee", "BYLINE: BY Ann\nLee\n\nHIGHLIGHT: A ferry\nis lost"),
        ("LENGTH: 7 words\n", "LENGTH: 7 words\n\nABSTRACT\nA ferry is lost.\n"),
        (f"LENGTH: 7 words\n\n{FERRY}", f"LENGTH: 7 words\n\nABSTRACT\n{FERRY}"),
        ("\nLOAD-DATE", "\nURL: http://courier.example/\n\nLOAD-DATE"),
        ("1 of 2 DOCUMENTS", "Page 1 of 2"),
        ("1 of 2 DOCUMENTS", "Search terms: ferry\n\nNumber of articles: 2\n\n1 of 2 DOCUMENTS"),
        ("LENGTH: 7 words\n", ""),
        ("BYLINE: Ann Lee\n\nLENGTH: 7 words\n", ""),
    ],
)
def test_headings_of_old_downloads(tmp_path: Path, before: str, after: str) -> None:
    assert before in OLD_NEXIS
    (tmp_path / "a.txt").write_text(OLD_NEXIS.replace(before, after, 1))
    first, second = read_file(tmp_path / "a.txt").documents
    assert (first.text, second.text) == (FERRY, "A café burnt.")
    author = {"author": "Ann Lee"} if "BYLINE" in after or "BYLINE" not in before else {}
    assert first.metadata == {"title": "Ferry sinks", "source": "The Courier", "date": "2024-03-07", **author}


def test_links_hidden_parts_and_quotations_of_a_message_are_no_text(tmp_path: Path) -> None:
    hidden = "<div style='display: none; max-height:0'>Soup</div>"
    links = "<p><a href='u'>Unsubscribe</a> | <a href='p'>Manage preferences</a></p>"
    message = EmailMessage()
    message["Message-ID"] = "<1@courier.example>"
    message["From"] = "Lee, Ann <ann@courier.example>"
    quoted = "<div class='gmail_quote'>Ann wrote:<p>It rose.</p></div>"
    message.set_content(f"{hidden}<p>View in browser</p><p>It | sank.</p>{links}{quoted}", subtype="html")
    (tmp_path / "a.eml").write_bytes(bytes(message))
    assert read_file(tmp_path / "a.eml").documents[0].text == "It | sank."


def test_a_message_that_looks_like_a_disclaimer_without_end_is_read(tmp_path: Path) -> None:
    """A pattern that tries each of its words as the last would take hours."""
    body = f"{FERRY}\n\nThis email {'is intended ' * 20_000}\n\n{'This email is intended.' * 1_000}\n\nIt sank."
    (tmp_path / "a.eml").write_bytes(mail("F", body))
    assert read_file(tmp_path / "a.eml").documents[0].text.endswith("It sank.")


def test_what_a_feed_adds_to_its_entries_is_no_text(tmp_path: Path) -> None:
    for added in ("The post &lt;a&gt;Ferry sinks&lt;/a&gt; appeared first on The Courier.", "Continue reading …"):
        (tmp_path / "a.rss").write_text(
            FEED.replace(f"{FERRY}&lt;/p&gt;", f"{FERRY}&lt;/p&gt;&lt;p&gt;{added}&lt;/p&gt;")
        )
        assert read_file(tmp_path / "a.rss").documents[0].text == FERRY


def test_the_name_of_a_web_archive_is_no_day(tmp_path: Path) -> None:
    (tmp_path / "CC-20210302-1.warc.gz").write_bytes(warc())
    documents = read_file(tmp_path / "CC-20210302-1.warc.gz").documents
    assert [document.metadata.get("date") for document in documents] == [None, None]
    assert [day_of(document) for document in documents] == [None, None]


def test_what_stands_around_an_article_is_no_text(tmp_path: Path) -> None:
    around = "<noscript><p>You need JavaScript.</p></noscript><p class='foot'>Site by Webworks 2014</p>"
    around += "<p><a href='javascript:print()'>Print</a></p><amp-ad><p>Cruises</p></amp-ad><p class='my-share'>X</p>"
    text = f"{FERRY} Nobody at the harbour of <a href='javascript:show()'>Tresk</a> had seen the ferry since noon."
    (tmp_path / "a.html").write_text(f"<html><body><h1>Ferry sinks</h1><p>{text}</p>{around}</body></html>")
    shown = re.sub("<.*?>", "", text)
    assert read_file(tmp_path / "a.html").documents[0].text == f"Ferry sinks\n\n{shown}"


def test_an_article_of_proquest_without_its_text_has_the_abstract_or_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PROQUEST.replace("Full text: A café burnt.", "Abstract: A café burnt."))
    assert [document.text for document in read_file(tmp_path / "a.txt").documents] == [FERRY, "A café burnt."]
    (tmp_path / "a.txt").write_text(PROQUEST.replace("Full text: A café burnt.", ""))
    assert read_file(tmp_path / "a.txt").notes[-1].endswith("1 article without text left out")


def test_titles_of_feeds_have_no_tags(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text(FEED.replace("Ferry sinks", "&lt;i&gt;Ann &amp;amp; Co&lt;/i&gt; sinks"))
    assert read_file(tmp_path / "a.rss").documents[0].metadata["title"] == "Ann & Co sinks"


def test_a_web_archive_has_the_days_of_addresses_and_no_errors(tmp_path: Path) -> None:
    stream = io.BytesIO()
    writer = WARCWriter(stream, gzip=False)
    for status in ("200 OK", "404 Not Found"):
        headers = StatusAndHeaders(status, [("Content-Type", "text/html")], protocol="HTTP/1.0")
        page = io.BytesIO(f"<html><body><p>{FERRY}</p></body></html>".encode())
        address = "https://courier.example/2024/03/07/ferry"
        writer.write_record(writer.create_warc_record(address, "response", page, http_headers=headers))
    (tmp_path / "a.warc").write_bytes(stream.getvalue())
    [document] = read_file(tmp_path / "a.warc").documents
    assert document.metadata["date"] == "2024-03-07"


@pytest.mark.parametrize(
    ("name", "data"), [("a.rss", b"<rss></rss>"), ("a.warc", b"WARC/1.0\r\nx"), ("a.eml", b"MIME-Version: 1\n\n")]
)
def test_files_without_documents(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=r"the file has no (entry|record|message) with text|cannot be read"):
        read_file(tmp_path / name)


@pytest.mark.parametrize("depth", [250, 300, 5000, 100_000])
def test_a_page_of_any_depth_keeps_its_text(tmp_path: Path, depth: int) -> None:
    inside = "<div>" * depth + f"<p>{FERRY}</p>" + "</div>" * depth
    (tmp_path / "a.html").write_text(f"<html><body>{inside}<p>The captain was held.</p></body></html>")
    corpus = read_file(tmp_path / "a.html")
    assert FERRY in corpus.documents[0].text
    assert "The captain was held." in corpus.documents[0].text
    assert [note.split(": ")[1][:15] for note in corpus.notes] == ["the page states", "the page is nes"]


@pytest.mark.parametrize(("head", "body", "date"), cases(__file__, "page_dates.tsv", "head", "body", "date"))
def test_a_page_has_the_date_that_it_states(tmp_path: Path, head: str, body: str, date: str | None) -> None:
    (tmp_path / "a.html").write_text(f"<html><head>{head}</head><body><p>{FERRY}</p>{body}</body></html>")
    corpus = read_file(tmp_path / "a.html")
    assert corpus.documents[0].metadata.get("date") == date
    assert [note.split(": ")[1] for note in corpus.notes] == (["the page states no date"] if date is None else [])


def test_entries_of_a_feed_without_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(HEADLINES)
    (tmp_path / "b.xml").write_text("<Document><token>Ferry</token></Document>")
    corpus = read_corpus([tmp_path]).corpus  # of a folder
    assert [document.text for document in corpus.documents] == ["Ferry sinks", FERRY]
    left_out, *of_feed = (note.split(": ")[1] for note in corpus.notes)
    assert left_out.startswith("1 file was left out (b.xml)")
    assert of_feed == ["2 entries read as documents", "1 entry without text left out"]


def test_a_day_in_a_line_above_the_text_is_that_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<html><body><h1>Ferry sinks</h1><p>7 March 2024</p><p>{FERRY}</p></body></html>")
    corpus = read_file(tmp_path / "a.html")
    assert (corpus.documents[0].metadata["date"], corpus.notes) == ("2024-03-07", ())


def test_updates_of_a_live_blog_that_are_in_its_data_alone(tmp_path: Path) -> None:
    updates = [
        {"headline": f"Number {hour}", "datePublished": f"2024-03-07T1{hour}:05:00Z", "articleBody": f"<p>{FERRY}</p>"}
        for hour in (8, 7)
    ]
    blog = {"@type": "LiveBlogPosting", "headline": "Ferry: live", "liveBlogUpdate": [*updates, None, {}]}
    data = json.dumps({"@graph": [blog | {"datePublished": "2024-03-07"}]})
    head = f"<title>Ferry: live</title><script type='application/ld+json'>{data}</script>"
    (tmp_path / "a.html").write_text(
        f"<html><head>{head}</head><body><h1>Ferry: live</h1><p>It sank.</p></body></html>"
    )
    documents = read_file(tmp_path / "a.html").documents
    assert [document.metadata["title"] for document in documents] == ["Ferry: live", "Number 8", "Number 7"]
    assert {document.metadata["date"] for document in documents} == {"2024-03-07"}
    assert [(document.text, document.metadata["time"]) for document in documents[1:]] == [
        (FERRY, "18:05"),
        (FERRY, "17:05"),
    ]


@pytest.mark.parametrize("moment", ["<time>1{}.05</time>", "<span class='time'>1{}:05</span>"])
def test_blocks_with_a_time_of_day_alone(tmp_path: Path, moment: str) -> None:
    blocks = "".join(f"<div>{moment.format(hour)}<p>{FERRY}</p></div>" for hour in (7, 8))
    head = "<title>Ferry sinks, as it happened</title><meta name='date' content='2024-03-07'>"
    (tmp_path / "a.html").write_text(f"<html><head>{head}</head><body><p>It sank.</p>{blocks}</body></html>")
    _, *updates = read_file(tmp_path / "a.html").documents
    assert [(d.text, d.metadata["date"], d.metadata["time"].replace(".", ":")) for d in updates] == [
        (FERRY, "2024-03-07", "17:05"),
        (FERRY, "2024-03-07", "18:05"),
    ]


@pytest.mark.parametrize("tag", ["div", "article", "li"])
def test_blocks_of_a_live_blog_keep_apart_with_their_times(tmp_path: Path, tag: str) -> None:
    blocks = "".join(
        f"<{tag}><time datetime='2024-03-0{day}T1{day}:05:00+01:00'>1{day}.05</time>"
        f"{'<h3>Friday 8 March 2024</h3><h2>' if day > 7 else '<h3>'}Number {day}</h3><p>{text}</p></{tag}>"
        for day, text in ((7, FERRY), (8, "The captain was held yesterday, the police said."))
    )
    blog = {"@type": "LiveBlogPosting", "liveBlogUpdate": [{"@type": "BlogPosting", "headline": "Number 8"}]}
    data = f"<script type='application/ld+json'>{json.dumps({'@context': 'https://schema.org', **blog})}</script>"
    head = f"<html><head><title>Ferry: live</title>{data}</head><body><nav>Home</nav>"
    page = f"{head}<main id='live'><p>It sank at dawn.</p>{blocks}"
    (tmp_path / "a.html").write_text(f"<!doctype html>{page}</main></body></html>")
    corpus = read_file(tmp_path / "a.html")
    around, *updates = corpus.documents
    assert ("It sank at dawn." in around.text, FERRY in around.text) == (True, False)
    assert around.metadata["title"] == "Ferry: live"
    assert [(d.id, d.metadata["date"], d.metadata["time"], d.metadata["title"]) for d in updates] == [
        ("a.html:2", "2024-03-07", "17:05", "Number 7"),
        ("a.html:3", "2024-03-08", "18:05", "Number 8"),
    ]
    assert updates[0].text == f"Number 7\n\n{FERRY}"
    (tmp_path / "b.html").write_text(re.sub("(?i)live", "more", page))
    assert len(read_file(tmp_path / "b.html").documents) == 1


def test_hidden_parts_of_a_page_are_no_text(tmp_path: Path) -> None:
    hidden = "".join(f"<{tag}>Hidden words.</{end}>" for tag, end in (("template", "template"), ("p hidden", "p")))
    (tmp_path / "a.html").write_text(f"<html><body><article><p>{FERRY}</p>{hidden}</article></body></html>")
    assert read_file(tmp_path / "a.html").documents[0].text == FERRY


def test_what_is_too_long_for_a_word_or_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{FERRY} {'QUJD' * 500_000} It burnt.")
    corpus = read_file(tmp_path / "a.txt")
    assert corpus.documents[0].tokens[-3:] == ("It", "burnt", ".")
    assert len(corpus.documents[0].tokens) == 13
    assert corpus.notes[0].endswith("2,000,000 characters without a space left out: no word is that long")
    (tmp_path / "b.txt").write_text("A b. " * 2_500_000)
    with pytest.raises(InputError, match=r"the text has 12,500,00\d characters; the limit is 10,000,000; split it"):
        read_file(tmp_path / "b.txt")


def test_a_file_whose_name_is_not_utf_8_is_written(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_text(FERRY)
    corpus = read_corpus([tmp_path]).corpus
    for name in ("out.jsonl", "out.spacy"):
        write_corpus(corpus, tmp_path / name)
        back = read_file(tmp_path / name)
        assert [document.id for document in back.documents] == ["caf\ufffd.txt"]
