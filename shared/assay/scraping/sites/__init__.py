"""Readers of sites with an API: one module per site, with `matches(url)` and `read(url, context)`."""
