"""Videos of YouTube, read by their captions."""

from assay.scraping.sites.youtube.reader import matches, read

__all__ = ["matches", "read"]
