"""The subset of CSS that decides whether text on a page is visible."""
