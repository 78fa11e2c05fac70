"""Word lists written as one string."""


def parse_words(text: str) -> frozenset[str]:
    """Return the words of a space-separated string."""
    return frozenset(text.split())
