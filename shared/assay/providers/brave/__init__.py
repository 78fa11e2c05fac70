"""Brave Search. https://api-dashboard.search.brave.com/api-reference/web/search/get"""

from assay.providers.brave.web_search import Brave

__all__ = ["Brave"]
