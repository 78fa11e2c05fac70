"""Scholarly works: search, lookup by identifier, deduplication, enrichment, citation links and full text."""
