"""The properties in the text of declarations that affect whether an element is visible."""

import re

from assay.text.short_text_cache import cache_short

VISIBILITY_PROPERTY = re.compile(
    r"\b(animation|display|visibility|content-visibility|opacity|font|color|background|text-indent|text-fill-color|clip|clip-path|overflow"
    r"|height|width|position|left|right|top|bottom|inset|margin|transform|scale|translate|rotate|zoom|filter|line-height|mask|backface-visibility|contain|letter-spacing|white-space)\b"
)


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
