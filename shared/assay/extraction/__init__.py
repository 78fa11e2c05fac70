"""Extracts structured data from pages, by a language model or from declared metadata, with quotes as evidence."""
