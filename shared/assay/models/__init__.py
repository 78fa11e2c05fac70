"""Models that tools, providers and entry points share: queries and results by subject."""
