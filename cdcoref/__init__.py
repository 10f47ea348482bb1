"""Cross-document coreference resolution: which mentions, in different documents, are the same event or thing."""

__version__ = "0.1.0"
