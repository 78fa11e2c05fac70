"""Reads manuscripts: their references, and the sentences that cite them."""
