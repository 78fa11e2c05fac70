"""Search the web page by page."""

from assay.base_tools.cinder_search import cinder_search

__all__ = ["cinder_search"]
