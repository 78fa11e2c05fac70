"""As much of CSS as decides whether text on a page can be seen."""
