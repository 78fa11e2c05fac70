"""Navigation marks in running text: heading permalinks, footnote references and back links."""

import re

from assay.html.reader.text_blocks import Token
from assay.text.word_lists import parse_words

PERMALINKS = parse_words("¶ # § 🔗 ⚓ ⚓︎ \uf0c1 \ue9cb")
TRAILING_PERMALINK = re.compile("\\s*[¶🔗⚓\uf0c1\ue9cb]\ufe0e?\\s*$")  # not # and §, which may end words such as C#
NOTE_MARK = re.compile(r"\[?\s*(?:\w{0,5}\.?\s?\d{1,3}|[^\W\d_]|[*†‡]{1,3})\s*\]?")
BACK_LINK = re.compile(r"(?:[\^↑↩⬑⤴]\ufe0e?\s*)+")
MAX_LINK_TOKENS = 12  # tokens between the start and the end of such a link


def is_permalink(text: str) -> bool:
    """Return whether the text is only a permalink sign."""
    return text.strip() in PERMALINKS


def without_permalink(text: str) -> str:
    """Return a heading without the permalink sign at its end."""
    return TRAILING_PERMALINK.sub("", text)


def without_note_links(tokens: list[Token], base: str) -> list[Token]:
    """Return the tokens with footnote references as bracketed text and without back links.

    `base` is the URL of the page; only links within the page count.
    """
    local_prefix = base.partition("#")[0] + "#"
    if not any(_opens_local_link(token, local_prefix) for token in tokens):
        return tokens
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        end = _end_of_link(tokens, index) if _opens_local_link(tokens[index], local_prefix) else None
        text = "".join(part for part in tokens[index:end] if isinstance(part, str)).strip() if end else ""
        if end and BACK_LINK.fullmatch(text):
            index = end
        elif end and NOTE_MARK.fullmatch(text):
            result.append(f"[{text.strip('[] ')}]")
            index = end
        else:
            result.append(tokens[index])
            index += 1
    return result


def _opens_local_link(token: Token, here: str) -> bool:
    is_link = not isinstance(token, str) and token[0] == "open" and token[1] == "a"
    return is_link and token[2].startswith(("#", here))


def _end_of_link(tokens: list[Token], start: int) -> int | None:
    """Return the index after the link; None if it contains more than a mark."""
    for place in range(start + 1, min(start + MAX_LINK_TOKENS, len(tokens))):
        token = tokens[place]
        if not isinstance(token, str) and token[:2] == ("close", "a"):
            return place + 1
    return None
