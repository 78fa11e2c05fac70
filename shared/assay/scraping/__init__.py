"""Scraping: fetching pages by escalating tiers (HTTP request, browser, paid services) and parsing them."""
