"""The properties in the text of declarations that affect whether an element is visible."""

import re

from assay.text.short_text_cache import cache_short

VISIBILITY_PROPERTY = re.compile(
    r"\b(animation|content|padding|border|grid-template|display|visibility|content-visibility|opacity|font|color|background|text-indent|text-fill-color|clip|clip-path|overflow"
    r"|height|width|position|left|right|top|bottom|inset|margin|transform|scale|translate|rotate|zoom|filter|line-height|mask|backface-visibility|contain|letter-spacing|white-space)\b"
)

# Properties that nearly every rule declares, with the values by which they hide.
COMMON_PROPERTIES = {
    "padding": re.compile(r"padding[a-z-]*\s*:[^;]*[1-9]\d\d"),
    "border": re.compile(r"border[a-z-]*\s*:[^;]*[1-9]\d\d"),
    "content": re.compile(r"(?:^|[;{\s])content\s*:\s*(?:url|image|-webkit-image|[a-z-]*gradient)"),
}


def find_hiding_words(body: str) -> set[str]:
    """Return the first words of the properties by which a body may hide, alone or with other rules."""
    found = set().union(*map(find_visibility_properties, body.split(";"))) - COMMON_PROPERTIES.keys()
    lower = body.lower()
    return found | {word for word, pattern in COMMON_PROPERTIES.items() if word in lower and pattern.search(lower)}


def declares_one(body: str, properties: set[str]) -> bool:
    """Return whether a body may declare one of the properties, named by their first words."""
    for declaration in body.split(";"):  # noqa: SIM110 -- a generator costs more than the tests
        if not properties.isdisjoint(find_visibility_properties(declaration)):
            return True
    return False


@cache_short(8192)
def find_visibility_properties(declaration: str) -> frozenset[str]:
    """Return the first words of the properties in a declaration that affect visibility."""
    return frozenset(VISIBILITY_PROPERTY.findall(declaration.lower()))
