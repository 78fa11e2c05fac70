"""Scholarly works: found, looked up by name, merged where they are one, and seen in what cites them."""
