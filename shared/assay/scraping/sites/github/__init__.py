"""GitHub: repositories by their README, files, gists, issues and pull requests. https://docs.github.com/rest"""

from assay.scraping.sites.github.reader import matches, read

__all__ = ["matches", "read"]
