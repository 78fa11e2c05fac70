"""OECD statistics by SDMX."""

from assay.providers.oecd.statistics import OECD

__all__ = ["OECD"]
