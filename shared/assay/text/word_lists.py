"""Word lists as they read best: one string, parted by spaces."""


def parse_words(text: str) -> frozenset[str]:
    return frozenset(text.split())
