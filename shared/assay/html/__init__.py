"""HTML: parsing, CSS visibility, main content and metadata."""
