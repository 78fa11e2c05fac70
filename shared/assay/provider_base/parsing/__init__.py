"""Parsing that several providers share: filings, patents, statistics and countries."""
