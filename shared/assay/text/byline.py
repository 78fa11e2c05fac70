"""Who wrote a page and when, as it tells its readers: the lines around its heading."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml.html import HtmlElement

from assay.text import published

BY = r"(?:(?:(?:[a-z]{3,12}|guest post|written and \w+)\s+)?by|von|par|por|di|door|av|af)"
OPENS = re.compile(rf"^\W*{BY}\s*:?\s+(?=\S)", re.IGNORECASE)
ALONE = re.compile(
    rf"^\W*(?:{BY}|(?:the\s+)?(?:authors?|writer)|autore?|autor|auteur|skribent|作者|著者|記者|글)\s*:?$", re.IGNORECASE
)
LABELLED = re.compile(r"^\W*(?:authors?|autore?|autor|auteur|作者|著者|記者|文|글)\s*[:：]\s*(?=\S)", re.IGNORECASE)
ENDS = re.compile(
    r"\s*(?:[|•·∙●►/\n]|\s[-–—]\s|,?\s+(?:on|in|at|for|updated|published|posted|last|reviewed|medically|edited|and reviewed)\b"
    r"|\(|\s\d{1,2}[./\s]|\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d|\s\d{4}).*",
    re.IGNORECASE | re.DOTALL,
)
ADDRESS = re.compile(r"https?:|www\.|\S+@\S+\.\w|\.(?:php|html?)\b|^\w+(?:\.\w+){2,}$|[{}<>]", re.IGNORECASE)
LOGIN = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
NOBODY = {
    *(
        "admin",
        "administrator",
        "webmaster",
        "root",
        "author",
        "authors",
        "unknown",
        "anonymous",
        "guest",
        "null",
        "none",
    ),
    *(
        "undefined",
        "by",
        "user",
        "editor",
        "super user",
        "wordpress",
        "test",
        "n/a",
        "staff",
        "view all posts",
        "author name",
    ),
    *("category", "closed", "writer", "sign", "log in", "sign in", "posts", "copyright", "comments", "reply"),
    *(
        "about the author",
        "written by",
        "share",
        "follow",
        "more posts",
        "read more",
        "profile",
        "posts",
        "admin admin",
    ),
}
JOINS = re.compile(r"\s*(?:;|\s+(?:and|und|et|y|e|en|&)\s+|,)\s*")
AUTHORISH = re.compile(
    r"(?:^|[\s_-])(?:authors?|byline|by-line|writers?|contributors?|posted-?by|written-?by|creator|username|user-?name|fn)(?![a-z])"
    r"|author-?_?name|byline|postedby|(?<![a-z])author",
    re.IGNORECASE,
)
NOT_NAMES = re.compile(
    r"avatar|image|photo|bio\b|descr|social|follow|icon|comment|related|share|job|title|date|time", re.IGNORECASE
)
SKIPPED = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "nav",
    "footer",
    "form",
    "select",
    "button",
    "iframe",
    "aside",
}
AFTER, BEFORE = 90, 12  # pieces of text looked at on either side of the heading


ASIDE = re.compile(
    r"comment|(?<![a-z])reviews?(?![a-z])|testimonial|related|recommend|widget|sidebar|teaser|(?<![a-z])cards?(?![a-z])|carousel",
    re.I,
)


class Piece(NamedTuple):
    """A text and the element whose own text it is."""

    element: HtmlElement
    text: str


def names(text: str) -> tuple[str, ...]:
    """The people or bodies named in a byline, cleaned; empty where it names nobody."""
    text = " ".join(text.split())
    if ADDRESS.search(text):
        return ()
    text = LABELLED.sub("", OPENS.sub("", text))
    text = ENDS.sub("", text).strip(" ,.;:|-–—*\"'“”")
    if not text or len(text) > 120:
        return ()
    parts = [part.strip() for part in JOINS.split(text)]
    if len(parts) > 1 and all(1 < len(part.split()) <= 4 for part in parts if part):
        return tuple(part for part in parts if _somebody(part))
    return (text,) if _somebody(text) else ()


def _somebody(name: str) -> bool:
    if name.casefold() in NOBODY or not 2 <= len(name) <= 80 or ":" in name:
        return False
    return any(letter.isalpha() for letter in name) and len(name.split()) <= 8


def after(heading: HtmlElement, most: int = AFTER) -> Iterator[Piece]:
    """What is read after the heading, piece by piece, without menus and scripts."""
    seen = 0
    node: HtmlElement | None = heading
    while node is not None and seen < most:
        if node is not heading and node.tag == "body":
            return
        if node.tail and node.tail.strip():
            yield Piece(node, node.tail.strip())
            seen += 1
        for sibling in node.itersiblings():
            for piece in _pieces(sibling):
                yield piece
                seen += 1
                if seen >= most:
                    return
            if sibling.tail and sibling.tail.strip():
                yield Piece(sibling, sibling.tail.strip())
        node = node.getparent()


def before(heading: HtmlElement, most: int = BEFORE) -> list[Piece]:
    """The last pieces read before the heading, nearest first."""
    found: list[Piece] = []
    node: HtmlElement | None = heading
    for _ in range(4):
        if node is None or node.tag == "body":
            break
        for sibling in node.itersiblings(preceding=True):
            found.extend(reversed(list(_limited(sibling, 40))))
            if len(found) >= most:
                return found[:most]
        node = node.getparent()
    return found[:most]


def _limited(element: HtmlElement, most: int) -> Iterator[Piece]:
    for count, piece in enumerate(_pieces(element)):
        if count >= most:
            return
        yield piece


def _pieces(element: HtmlElement) -> Iterator[Piece]:
    if element.tag in SKIPPED or not isinstance(element.tag, str):
        return
    if element.tag == "time" and element.get("datetime"):
        yield Piece(element, (element.text or "").strip())
    elif element.text and element.text.strip():
        yield Piece(element, element.text.strip())
    for child in element:
        yield from _pieces(child)
        if child.tail and child.tail.strip():
            yield Piece(element, child.tail.strip())


def writer(pieces: list[Piece], forum: bool = False) -> tuple[str, ...]:
    """Whom these pieces name as the author: marked as such, or after “by”. In a forum the first poster."""
    for number, piece in enumerate(pieces):
        if len(piece.text) > 150:
            continue
        found: tuple[str, ...] = ()
        following = pieces[number + 1].text if number + 1 < len(pieces) else ""
        if ALONE.match(piece.text):
            found = _capital(names(following))
        elif OPENS.match(piece.text) or LABELLED.match(piece.text):
            found = _capital(names(piece.text))
        elif marked(piece.element):
            found = names(piece.text)
        if found and (forum or not elsewhere(piece.element)):
            return found
    return ()


def elsewhere(element: HtmlElement) -> bool:
    """Whether this stands in a comment, a customer's review, or a teaser of another page."""
    node = element.getparent()
    while node is not None and node.tag not in ("body", "main"):
        words = f"{node.get('class') or ''} {node.get('id') or ''} {node.get('itemprop') or ''}"
        if ASIDE.search(words) and len(words) < 300:
            return True
        node = node.getparent()
    return False


def _capital(found: tuple[str, ...]) -> tuple[str, ...]:
    """A name after a bare “by” begins like a name, and is one: “by clicking” is not."""
    good = [name for name in found if not name[0].islower() and len(name.split()) <= 5]
    return tuple(good)


def marked(element: HtmlElement, levels: int = 2) -> bool:
    """Whether this element or one just around it is said to hold the author."""
    node: HtmlElement | None = element
    for _ in range(levels):
        if node is None:
            return False
        if node.get("rel") == "author" or "author" in (node.get("itemprop") or ""):
            return True
        words = f"{node.get('class') or ''} {node.get('id') or ''}"
        if len(words) < 300 and AUTHORISH.search(words) and not NOT_NAMES.search(words):
            return True
        node = node.getparent()
    return False


class Dated(NamedTuple):
    published: str
    modified: str


JOINED = re.compile(
    r"join|member since|regist|born|est\.|copyright|©|expires|deadline|last (?:visit|seen|active)", re.IGNORECASE
)
UPDATED = re.compile(r"updat|modifi|revis|edited|reviewed|aktualisiert|mis à jour|actualizad|更新", re.IGNORECASE)


def dated(pieces: list[Piece], american: bool) -> Dated:
    """The first date among these pieces, and the first that is called an update."""
    first = updated = ""
    label = ""
    for piece in pieces:
        day = ""
        if piece.element.tag == "time" and piece.element.get("datetime"):
            day = published.stated(piece.element.get("datetime"))
        if not day and len(piece.text) <= 120:
            day = published.written(piece.text, american)
        if day and not JOINED.search(label + " " + piece.text):
            if UPDATED.search(label + " " + piece.text):
                updated = updated or day
            else:
                first = first or day
        label = piece.text if len(piece.text) < 40 else ""
        if first and updated:
            break
    return Dated(first, updated)
