"""YouTube videos, read through their captions."""

from assay.scraping.sites.youtube.reader import matches, read

__all__ = ["matches", "read"]
