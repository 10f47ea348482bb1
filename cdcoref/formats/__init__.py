"""Files in, a Corpus out, and back; a file's format is recognised by its content.

Texts are read from plain text, HTML, PDF, Word, PowerPoint, EPUB, Markdown and tables; texts with mentions are read
from and written to JSON lines, CoNLL, CorefUD and DocBin, and read from collections.

`read_corpus` reads files, folders and standard input into one corpus; a bad file does not affect the others.
`write_corpus` writes a corpus in the format given by the file name; `Format.writer` writes it document by document.
`read_mention_table` reads only mentions, for scoring. Any file may be gzipped. Each format is a module that defines a
`Format`; `FORMATS` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
