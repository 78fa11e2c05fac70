"""Navigation marks in running text: heading permalinks, footnote references and back links."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from assay.html.reader.text_blocks import Token
from assay.text.word_lists import parse_words

PERMALINKS = parse_words("¶ # § 🔗 ⚓ ⚓︎ \uf0c1 \ue9cb")
TRAILING_PERMALINK = re.compile("\\s*[¶🔗⚓\uf0c1\ue9cb]\ufe0e?\\s*$")  # not # and §, which may end words such as C#
NOTE_MARK = re.compile(r"\[?\s*(?:\w{0,5}\.?\s?\d{1,3}(?::\d{1,2})?|[^\W\d_]|[*†‡]{1,3})\s*\]?")
REPETITION = re.compile(r":\d+")  # in the mark of a note that another one led to before
BACK_LINK = re.compile(r"(?:[\^↑↩⬑⤴]\ufe0e?\s*)+\d{0,2}")  # with the number of the mark that it leads to
MAX_LINK_TOKENS = 12  # tokens between the start and the end of such a link


def is_permalink(text: str) -> bool:
    """Return whether the text is only a permalink sign."""
    return text.strip() in PERMALINKS


def without_permalink(text: str) -> str:
    """Return a heading without the permalink sign at its end."""
    return TRAILING_PERMALINK.sub("", text)


def without_local_links(tokens: list[Token], base: str) -> list[Token]:
    """Return the tokens of a heading without the marks of links to places in the page, which lead to itself."""
    local_prefix = _find_local_prefix(tokens, base)
    if not local_prefix:
        return tokens
    result: list[Token] = []
    is_local: list[bool] = []  # of the links that are open
    for token in tokens:
        if not isinstance(token, str) and token[0] == "open" and token[1] == "a":
            is_local.append(_opens_local_link(token, local_prefix))
            if is_local[-1]:
                continue
        elif not isinstance(token, str) and token[:2] == ("close", "a") and is_local and is_local.pop():
            continue
        result.append(token)
    return result


def without_note_links(tokens: list[Token], base: str) -> list[Token]:
    """Return the tokens with footnote references as bracketed text and without back links.

    `base` is the URL of the page; only links within the page count.
    """
    local_prefix = _find_local_prefix(tokens, base)
    if not local_prefix:
        return tokens
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        end = _end_of_link(tokens, index) if _opens_local_link(tokens[index], local_prefix) else None
        text = "".join(part for part in tokens[index:end] if isinstance(part, str)).strip() if end else ""
        if end and BACK_LINK.fullmatch(text):
            index = end
        elif end and NOTE_MARK.fullmatch(text):
            mark = REPETITION.sub("", text.strip("[] "))
            has_brackets = _ends_with_bracket(result) and _begins_with_bracket(tokens, end)
            result.append(mark if has_brackets else f"[{mark}]")
            index = end
        else:
            result.append(tokens[index])
            index += 1
    return result


def iter_note_targets(tokens: list[Token], base: str) -> Iterator[str]:
    """Yield the ids of the notes that the footnote marks in the tokens lead to."""
    local_prefix = _find_local_prefix(tokens, base)
    if not local_prefix:
        return
    for index, token in enumerate(tokens):
        if _opens_local_link(token, local_prefix) and (end := _end_of_link(tokens, index)):
            text = "".join(part for part in tokens[index:end] if isinstance(part, str)).strip()
            if NOTE_MARK.fullmatch(text):
                yield unquote(token[2].partition("#")[2])


def _find_local_prefix(tokens: list[Token], base: str) -> str:
    """Return the beginning of the absolute URLs of places in the page; "" if no link leads to one."""
    targets = [token[2] for token in tokens if len(token) == 3 and token[0] == "open"]  # no other mark has a target
    if "#" not in "".join(targets):
        return ""
    here = base.partition("#")[0] + "#"
    return here if any(target.startswith(("#", here)) for target in targets) else ""


def _opens_local_link(token: Token, here: str) -> bool:
    is_link = not isinstance(token, str) and token[0] == "open" and token[1] == "a"
    return is_link and token[2].startswith(("#", here))


def _ends_with_bracket(tokens: list[Token]) -> bool:
    before = next((token for token in reversed(tokens[-MAX_LINK_TOKENS:]) if isinstance(token, str)), "")
    return before.rstrip().endswith("[")


def _begins_with_bracket(tokens: list[Token], start: int) -> bool:
    after = next((token for token in tokens[start : start + MAX_LINK_TOKENS] if isinstance(token, str)), "")
    return after.lstrip().startswith("]")


def _end_of_link(tokens: list[Token], start: int) -> int | None:
    """Return the index after the link; None if it contains more than a mark."""
    for place in range(start + 1, min(start + MAX_LINK_TOKENS, len(tokens))):
        token = tokens[place]
        if not isinstance(token, str) and token[:2] == ("close", "a"):
            return place + 1
    return None
