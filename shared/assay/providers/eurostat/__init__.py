"""Eurostat: official European statistics. See `statistics`."""

from assay.providers.eurostat.statistics import Eurostat

__all__ = ["Eurostat"]
