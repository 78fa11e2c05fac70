"""Scraping: tiers from a plain request to paid services, and what is read of a page."""
