"""Navigation marks in running text: heading permalinks, footnote references and back links."""

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from assay.html.parser.html_element import HtmlRoot
from assay.html.reader.text_blocks import Mark, Token
from assay.text.word_lists import parse_words

PERMALINKS = parse_words("¶ # § ◆ 🔗 ⚓ ⚓︎ \uf0c1 \ue9cb")
TRAILING_PERMALINKS = ("¶", "🔗", "⚓", "\uf0c1", "\ue9cb")  # not # and §, which may end words such as C#
NOTE_MARK = re.compile(r"[\[(]?\s*(?:\w{0,5}\.?\s?\d{1,3}(?::\d{1,2})?|[^\W\d_]|[*†‡]{1,3})\s*[\])]?")
REPETITION = re.compile(r":\d+")  # in the mark of a note that another one led to before
BACK_LINK = re.compile(r"(?:[\^↑↩⬑⤴]\ufe0e?\s*)+\d{0,2}")  # with the number of the mark that it leads to
# What shows that a number leads to a section, figure, table or equation: the word before it, or the address.
REFERENCE_WORD = re.compile(
    r"(?:\b(?:Sect?(?:ion)?|Fig(?:ure)?|Tab(?:le)?|Eq(?:n|uation)?|Theorem|Thm|Lemma|Chap(?:ter)?|App(?:endix|endices)?"
    r"|Algorithm|Listing|Definition|Proposition|Corollary|Example|Remark|Step|Part)s?\.?\s+|§+\s*)\Z",
    re.IGNORECASE,
)
REFERENCE_ADDRESS = re.compile(
    r"#(?:[SAEFT]\d|alg\d|lst\d|x1-\d|(?:thm|theorem|lem|sec|fig|tab|tbl|eq|app|chap)\w*\b)", re.IGNORECASE
)
NUMBER_OF_REFERENCE = re.compile(r"\d+\.\d+|(?:1[5-9]|20)\d\d[a-z]?")  # of a part of a section; a year of a publication
LINK_TO_TOP = re.compile(r"[\[(↑^]?\s*(?:(?:back |return |go )?to )?(?:the )?top\s*[\])↑]?", re.IGNORECASE)
OPEN_BRACKET = re.compile(r"\[[^\[\]]{0,60}\Z")
CLOSING_BRACKET = re.compile(r"[^\[\]]{0,60}\]")
WORD = re.compile(r"[^\W\d_]{2}")
MAX_LINK_TOKENS = 12  # tokens between the start and the end of such a link
MAX_BRACKET_TOKENS = 40  # tokens before and after a mark in which its brackets are looked for
SUPERSCRIPT = ("open", "sup")


def is_permalink(text: str) -> bool:
    """Return whether the text is only a permalink sign."""
    return text.strip() in PERMALINKS


def without_permalink(text: str) -> str:
    """Return a heading without the permalink sign at its end."""
    bare = text.rstrip().removesuffix("\ufe0e")
    return bare[:-1].rstrip() if bare.endswith(TRAILING_PERMALINKS) else text


def find_local_links(root: HtmlRoot, base: str) -> frozenset[Mark]:
    """Return the marks of the page's links to places in it; `base` is its URL."""
    here = base.partition("#")[0] + "#"
    return frozenset([("open", "a", target) for target in root.fragment_links if target.startswith(("#", here))])


def without_links_to_top(tokens: list[Token], local: frozenset[Mark]) -> list[Token]:
    """Return the tokens of a heading without a link beside it that leads to the top of the page."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        end = _end_of_link(tokens, index) if tokens[index] in local and result else None
        if end and LINK_TO_TOP.fullmatch("".join(part for part in tokens[index:end] if isinstance(part, str)).strip()):
            index = end
        else:
            result.append(tokens[index])
            index += 1
    return result


def without_local_links(tokens: list[Token], local: frozenset[Mark]) -> list[Token]:
    """Return the tokens of a heading without the marks of links to places in the page, which lead to itself."""
    if local.isdisjoint(tokens):
        return tokens
    result: list[Token] = []
    is_local: list[bool] = []  # of the links that are open
    for token in tokens:
        if not isinstance(token, str) and token[0] == "open" and token[1] == "a":
            is_local.append(token in local)
            if is_local[-1]:
                continue
        elif not isinstance(token, str) and token[:2] == ("close", "a") and is_local and is_local.pop():
            continue
        result.append(token)
    return result


def without_note_links(tokens: list[Token], local: frozenset[Mark]) -> list[Token]:
    """Return the tokens with footnote references as bracketed text and without back links and permalinks.

    The numbers of sections, figures and equations that lead there are text. `local` are the links within the page; only
    these count.
    """
    if local.isdisjoint(tokens):
        return tokens
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        end = _end_of_link(tokens, index) if tokens[index] in local else None
        text = "".join(part for part in tokens[index:end] if isinstance(part, str)).strip() if end else ""
        if end and (BACK_LINK.fullmatch(text) or text in PERMALINKS):
            index = end
        elif end and NOTE_MARK.fullmatch(text) and (mark := _format_mark(text, tokens, index, end, result)):
            result.append(mark)
            is_apart = mark[-1].isalnum() or (mark[0] == "[" and _begins_text(result))
            if is_apart and _find_text(tokens, end)[:1].isalnum():
                result.append(" ")  # a style sheet sets the mark apart from the text of the note
            index = end
        else:
            result.append(tokens[index])
            index += 1
    return result


def _format_mark(text: str, tokens: list[Token], index: int, end: int, before: list[Token]) -> str:
    """Return the text of the local link from `index` to `end` as that of a note, or as a number; "" if it is neither.

    `before` are the tokens that are written before it.
    """
    mark = REPETITION.sub("", text.strip("[]) "))
    near = "".join([token for token in before[-MAX_BRACKET_TOKENS:] if isinstance(token, str)])
    after = "".join([token for token in tokens[end : end + MAX_BRACKET_TOKENS] if isinstance(token, str)])
    if text[0] == "(":
        return text
    if OPEN_BRACKET.search(near) and CLOSING_BRACKET.match(after):
        return mark
    if text[0] == "[" or SUPERSCRIPT in tokens[max(index - 1, 0) : end]:
        return f"[{mark}]"
    if WORD.search(mark):
        return ""
    is_reference = (
        NUMBER_OF_REFERENCE.fullmatch(mark)
        or REFERENCE_WORD.search(near)
        or REFERENCE_ADDRESS.search(tokens[index][2])
        or (near[-1:] == "(" and after[:1] == ")")
    )
    return mark if is_reference else f"[{mark}]"


def iter_note_targets(tokens: list[Token], local: frozenset[Mark]) -> Iterator[str]:
    """Yield the ids of the notes that the footnote marks in the tokens lead to."""
    if local.isdisjoint(tokens):
        return
    for index, token in enumerate(tokens):
        if token in local and (end := _end_of_link(tokens, index)):
            text = "".join(part for part in tokens[index:end] if isinstance(part, str)).strip()
            if NOTE_MARK.fullmatch(text):
                yield unquote(token[2].partition("#")[2])


def _begins_text(tokens: list[Token]) -> bool:
    """Return whether the last of the tokens is the first one with text."""
    return not any(isinstance(token, str) for token in islice(tokens, len(tokens) - 1))


def _find_text(tokens: list[Token], start: int) -> str:
    return next((token for token in tokens[start : start + MAX_LINK_TOKENS] if isinstance(token, str)), "")


def _end_of_link(tokens: list[Token], start: int) -> int | None:
    """Return the index after the link; None if it contains more than a mark."""
    for place in range(start + 1, min(start + MAX_LINK_TOKENS, len(tokens))):
        token = tokens[place]
        if not isinstance(token, str) and token[:2] == ("close", "a"):
            return place + 1
    return None
