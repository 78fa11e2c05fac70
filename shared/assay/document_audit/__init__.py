"""Audits of whole manuscripts: references, claims, quotations and links, in units of work that can be repeated."""
