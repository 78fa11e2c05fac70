"""Who wrote a page, as it tells its readers: names out of bylines, and where bylines stand."""

import re

from lxml.html import HtmlElement

from assay.html.metadata.neighbouring_text import Piece
from assay.text.plain_text import visible

BY = r"(?:(?:(?:[a-z]{3,12}|guest post|this \w+ (?:was|is) written|written and \w+)\s+)?by|von|par|por|di|door|av|af)"
OPENS = re.compile(rf"^\W*{BY}\s*:?\s+(?=\S)", re.IGNORECASE)
ALONE = re.compile(
    rf"^\W*(?:{BY}|(?:the\s+)?(?:authors?|writer)|autore?|autor|auteur|skribent|作者|著者|記者|글)\s*:?$", re.IGNORECASE
)
LABELLED = re.compile(r"^\W*(?:authors?|autore?|autor|auteur|作者|著者|記者|文|글)\s*[:：]\s*(?=\S)", re.IGNORECASE)
ENDS = re.compile(
    r"\s*(?:,?\s+(?:le|am|vom|el|il|del|em|den)\s+\d|[|•·∙●►/\n]|\s[-–—]\s|,?\s+(?:on|in|at|for|updated|published|posted|last|reviewed|medically"
    r"|edited|and reviewed)\b|\(|\s\d{1,2}[./\s]"
    r"|\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d|\s\d{4}).*",
    re.IGNORECASE | re.DOTALL,
)
ADDRESS = re.compile(r"https?:|www\.|\S+@\S+\.\w|\.(?:php|html?)\b|^\w+(?:\.\w+){2,}$|[{}<>]", re.IGNORECASE)
LOGIN = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
NOBODY = {
    *("admin", "admin admin", "administrator", "root", "user", "super user", "webmaster", "wordpress", "test", "guest"),
    *(
        "anonymous",
        "unknown",
        "undefined",
        "n/a",
        "none",
        "null",
        "author",
        "author name",
        "authors",
        "writer",
        "editor",
    ),
    *("staff", "by", "written by", "about the author", "posts", "more posts", "view all posts", "read more", "profile"),
    *("category", "closed", "comments", "reply", "copyright", "follow", "share", "log in", "sign", "sign in"),
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
ASIDE = re.compile(
    r"comment|(?<![a-z])reviews?(?![a-z])|testimonial|related|recommend|widget-area|sidebar|teaser|(?<![a-z])cards?(?![a-z])|carousel",
    re.IGNORECASE,
)
NOT_WRITTEN = re.compile(
    r"\W*(?:last|latest|edited|(?:fact.?)?checked|reviewed|medically|researched|photos?|photograph\w*|images?|illustrat\w+|sponsored|"
    r"powered|translated|videos?|recommended|sort(?:ed)?|filter|used|trusted|designed|built|made|brought|presented|produced|"
    r"supported|approved|updated|websites?|hosted|sold|shipped)\b.{0,20}?\bby\b",
    re.IGNORECASE,
)
PROFILE = re.compile(
    r"/(?:[a-z]+-)?(?:authors?|contributors?|writers?|by|columnists?|autor(?:en)?|auteurs?)/[^/]|[?&]author=",
    re.IGNORECASE,
)
POSTER = re.compile(
    r"user-?_*(?:info_*)?-?_*(?:name|link)|poster|(?:^|[\s_-])member-?name|nickname|profile-?link|post-?author",
    re.IGNORECASE,
)
NEAR = 12  # pieces: so close to the heading a byline is the page's own


def names(text: str) -> tuple[str, ...]:
    """The people or bodies named in a byline, cleaned; empty where it names nobody."""
    text = " ".join(visible(text).split())
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


def writer(pieces: list[Piece], forum: bool = False) -> tuple[str, ...]:
    """Whom these pieces name as the author: marked as such, or after “by”. In a forum the first poster."""
    by_another = False  # whether what stands before the piece says that it names no author
    for number, piece in enumerate(pieces):
        following = pieces[number + 1].text if number + 1 < len(pieces) else ""
        other = NOT_WRITTEN.match(piece.text)
        is_other = by_another or other is not None
        by_another = other is not None and not piece.text[other.end() :].strip()
        if is_other or len(piece.text) > 150:
            continue
        found = _names_in_piece(piece, following, forum)
        if found and (forum or number < NEAR or not elsewhere(piece.element)):
            return found
    return ()


def _names_in_piece(piece: Piece, following: str, forum: bool) -> tuple[str, ...]:
    if ALONE.match(piece.text):
        return _capital(names(following), forum)
    if OPENS.match(piece.text) or LABELLED.match(piece.text):
        return _capital(names(piece.text), forum)
    if is_author_marked(piece.element):
        return names(piece.text)
    return names(piece.text) if forum and POSTER.search(piece.element.get("class") or "") else ()


def elsewhere(element: HtmlElement) -> bool:
    """Whether this stands in a comment, a customer's review, or a teaser of another page."""
    node = element.getparent()
    while node is not None and node.tag not in ("body", "main"):
        words = f"{node.get('class') or ''} {node.get('id') or ''} {node.get('itemprop') or ''}"
        if ASIDE.search(words) and len(words) < 300:
            return True
        node = node.getparent()
    return False


def _capital(found: tuple[str, ...], forum: bool) -> tuple[str, ...]:
    """A name after a bare “by” begins like a name, and is one: “by clicking” is not."""
    return tuple(name for name in found if len(name.split()) <= 5 and (forum or not name[0].islower()))


def is_author_marked(element: HtmlElement, levels: int = 2) -> bool:
    """Whether this element or one just around it is said to hold the author."""
    node: HtmlElement | None = element
    for _ in range(levels):
        if node is None:
            return False
        if (
            node.get("rel") == "author"
            or "author" in (node.get("itemprop") or "")
            or PROFILE.search(node.get("href") or "")
        ):
            return True
        words = f"{node.get('class') or ''} {node.get('id') or ''}"
        if len(words) < 300 and AUTHORISH.search(words) and not NOT_NAMES.search(words):
            return True
        node = node.getparent()
    return False
