"""Search the web."""

from assay.base_tools.web_search import web_search

__all__ = ["web_search"]
