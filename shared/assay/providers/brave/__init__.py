"""Brave Search. See `web_search`."""

from assay.providers.brave.web_search import Brave

__all__ = ["Brave"]
