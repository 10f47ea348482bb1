"""Many stories on this machine: what a run has computed goes in, and is kept, so that an interrupted run goes on."""

from cdcoref.engines.cache import ResultCache, document_hash

__all__ = ["ResultCache", "document_hash"]
