"""Word lists as they read best: one string, parted by spaces."""


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())
