"""OECD statistics. See `statistics`."""

from assay.providers.oecd.statistics import OECD

__all__ = ["OECD"]
