"""Signs of navigation in running text: links of headings to themselves, marks of footnotes, ways back from these."""

import re

from assay.html.reader.text_blocks import Token
from assay.text.word_lists import parse_words

PERMALINKS = parse_words("¶ # § 🔗 ⚓ ⚓︎ \uf0c1 \ue9cb")
AT_END = re.compile("\\s*[¶🔗⚓\uf0c1\ue9cb]\ufe0e?\\s*$")  # not # and §, which words such as C# may end with
MARK = re.compile(r"\[?\s*(?:\w{0,5}\.?\s?\d{1,3}|[^\W\d_]|[*†‡]{1,3})\s*\]?")
BACK = re.compile(r"(?:[\^↑↩⬑⤴]\ufe0e?\s*)+")
MARK_TOKENS = 12  # between the beginning and the end of such a link


def is_permalink(text: str) -> bool:
    return text.strip() in PERMALINKS


def without_permalink(text: str) -> str:
    """A heading without the sign of a link to itself at its end."""
    return AT_END.sub("", text)


def without_note_links(tokens: list[Token], base: str) -> list[Token]:
    """Marks of footnotes as text in brackets, and no ways back: what they lead to stands in the same text.

    `base` is the address of the page.
    """
    here = base.partition("#")[0] + "#"
    if not any(_leads_to(token, here) for token in tokens):
        return tokens
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        end = _end_of_link(tokens, place) if _leads_to(tokens[place], here) else None
        text = "".join(part for part in tokens[place:end] if isinstance(part, str)).strip() if end else ""
        if end and BACK.fullmatch(text):
            place = end
        elif end and MARK.fullmatch(text):
            kept.append(f"[{text.strip('[] ')}]")
            place = end
        else:
            kept.append(tokens[place])
            place += 1
    return kept


def _leads_to(token: Token, here: str) -> bool:
    is_link = not isinstance(token, str) and token[0] == "open" and token[1] == "a"
    return is_link and token[2].startswith(("#", here))


def _end_of_link(tokens: list[Token], start: int) -> int | None:
    """Where the next token after the link stands; None where it holds more than a mark does."""
    for place in range(start + 1, min(start + MARK_TOKENS, len(tokens))):
        token = tokens[place]
        if not isinstance(token, str) and token[:2] == ("close", "a"):
            return place + 1
    return None
