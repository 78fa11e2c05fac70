"""Scrape one address, whatever it answers."""

from assay.base_tools.cinder_scrape import cinder_scrape

__all__ = ["cinder_scrape"]
