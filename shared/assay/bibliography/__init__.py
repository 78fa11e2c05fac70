"""Bibliographies: BibTeX, RIS and CSL-JSON, citation styles, DOIs and ISBNs."""
