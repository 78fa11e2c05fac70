"""Bylines: patterns that recognise them and functions that extract author names from them."""

import re
from collections.abc import Mapping

from assay.html.metadata.neighbouring_text import Piece
from assay.html.parser.html_element import HtmlElement
from assay.text.plain_text import strip_invisible

BY_PREPOSITION = (
    r"(?:(?:(?:[a-z]{3,12}(?<!\bstep)|view all posts|guest post|this \w+ (?:was|is) written|written and \w+)\s+)?by"
    r"|von|par|por|di|door|av|af)"
)
BYLINE_START = re.compile(rf"^\W*{BY_PREPOSITION}\s*:?\s+(?=\S)", re.IGNORECASE)
BYLINE_LABEL = re.compile(
    rf"^\W*(?:{BY_PREPOSITION}|(?:the\s+)?(?:authors?|writer)|autore?|autor|auteur|skribent|作者|著者|記者|글)\s*:?$",
    re.IGNORECASE,
)
LABELLED_BYLINE = re.compile(
    r"^\W*(?:authors?|autore?|autor|auteur|作者|著者|記者|文|글)\s*[:：]\s*(?=\S)", re.IGNORECASE
)
# In a line behind other facts, such as the date and the source.
LABEL_IN_LINE = re.compile(r"(?<=[\s|/·])(?:作者|著者|記者|记者|撰文)\s*[:：]\s*(?=\S)")
# Who edited, checked or translated the text, or published it first.
OTHER_LABEL = r"[\[【]?(?:责任编辑|責任編輯|责编|编辑|編輯|編集|校对|审核|来源|來源|出处|发布|發布)"
OTHER_LABEL_START = re.compile(OTHER_LABEL)
BYLINE_END = re.compile(
    rf"\s*(?:(?<!^)\s{OTHER_LABEL}|,?\s+(?:le|am|vom|el|il|del|em|den)\s+\d|[|•·∙●►/\n]|\s[-–—]\s|,?\s+(?:on|in|at|for|updated|published|posted|last|reviewed|medically"
    r"|edited|and reviewed)\b|\(|\s\d{1,2}[./\s]"
    r"|\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d|\s\d{4}).*",
    re.IGNORECASE | re.DOTALL,
)
URL_OR_MARKUP = re.compile(r"https?:|www\.|\S+@\S+\.\w|\.(?:php|html?)\b|^\w+(?:\.\w+){2,}$|[{}<>]", re.IGNORECASE)
LOGIN_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")
PLACEHOLDERS = {
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
    *("message", "published", "updated", "未知", "佚名", "匿名"),
    *("category", "closed", "comments", "reply", "copyright", "follow", "share", "log in", "sign", "sign in"),
}
NAME_SEPARATOR = re.compile(r"\s*(?:;|\s+(?:and|und|et|y|e|en|&)\s+|[,，、])\s*")
ROLE = re.compile(r"\s+(?:著|文|撰文)$")
# Translators and editors of books, counts, days, and what buttons say.
NO_NAME = re.compile(
    r".*\s(?:訳|監訳|編|译|编|翻訳|翻译)$|[\d.,]+\s?[km]?(?:$|\s)"
    r"|(?:on\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s\d+)"
    r"|(?:view|follow|visit)\s(?:us|me|all|more|the|author|staff|profile)\b",
    re.IGNORECASE,
)
AUTHOR_CLASS = re.compile(
    r"(?:^|[\s_-])(?:authors?|byline|by-line|writers?|contributors?|posted-?by|written-?by|creator|username|user-?name|fn)(?![a-z])"
    r"|author-?_?name|byline|postedby|(?<![a-z])author(?!i[sztn])",
    re.IGNORECASE,
)
NO_AUTHOR_CLASS = re.compile(
    r"avatar|image|infobox|footnote|fn[-_]?(?:\d|group)|photo|bio\b|descr|social|follow|icon|comment|related|share|(?<![a-z])job(?![a-z])|title|date|time",
    re.IGNORECASE,
)
SECONDARY_CLASS = re.compile(
    r"comment|(?<![a-z])reviews?(?![a-z])|testimonial|related|recommend|widget-area|sidebar|teaser|(?<![a-z])cards?(?![a-z])|carousel",
    re.IGNORECASE,
)
OTHER_ROLE = re.compile(
    r"\W*(?:last|latest|edited|(?:fact.?)?checked|reviewed|medically|researched|photos?|photograph\w*|images?|illustrat\w+|sponsored|"
    r"powered|translated|videos?|recommended|sort(?:ed)?|filter|used|trusted|designed|built|made|brought|presented|produced|"
    r"supported|approved|updated|websites?|hosted|sold|shipped)\b.{0,20}?\bby\b",
    re.IGNORECASE,
)
PROFILE_URL = re.compile(
    r"/(?:[a-z]+-)?(?:authors?|contributors?|writers?|by|columnists?|autor(?:en)?|auteurs?)/[^/]|[?&]author=",
    re.IGNORECASE,
)
POSTER_CLASS = re.compile(
    r"user-?_*(?:info_*)?-?_*(?:name|link)|poster|(?:^|[\s_-])member-?name|nickname|profile-?link|post-?author",
    re.IGNORECASE,
)
HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
MAX_DISTANCE = 12  # pieces from the heading within which a byline belongs to the page


def parse_byline(text: str) -> tuple[str, ...]:
    """Return the persons or organisations that a byline names, cleaned; empty if it names none."""
    text = " ".join(strip_invisible(text).split())
    if URL_OR_MARKUP.search(text) or OTHER_LABEL_START.match(text):
        return ()
    text = LABELLED_BYLINE.sub("", BYLINE_START.sub("", text))
    text = BYLINE_END.sub("", text).strip(" ,.;:|-–—*\"'“”，©")
    if not text or len(text) > 120:
        return ()
    parts = [ROLE.sub("", part.strip()) for part in NAME_SEPARATOR.split(text)]
    if len(parts) > 1 and all(1 < len(part.split()) <= 4 for part in parts if part):
        return tuple(part for part in parts if _is_name(part))
    return (ROLE.sub("", text),) if _is_name(text) else ()


def _is_name(name: str) -> bool:
    if name.casefold() in PLACEHOLDERS or not 2 <= len(name) <= 80 or ":" in name or NO_NAME.match(name):
        return False
    return any(letter.isalpha() for letter in name) and len(name.split()) <= 8


def find_byline_authors(pieces: list[Piece], forum: bool = False) -> tuple[str, ...]:
    """Return the authors that the pieces name: marked as author, or after “by”. In a forum, the first poster."""
    by_another = False  # whether the piece before ends in a “reviewed by” or the like
    for index, piece in enumerate(pieces):
        following = pieces[index + 1].text if index + 1 < len(pieces) else ""
        other_role = OTHER_ROLE.match(piece.text)
        is_other = by_another or other_role is not None
        by_another = other_role is not None and not piece.text[other_role.end() :].strip()
        if is_other or len(piece.text) > 150:
            continue
        names = _extract_names(piece, following, forum)
        if names and (forum or index < MAX_DISTANCE or not is_secondary_content(piece.element)):
            return names
    return ()


def _extract_names(piece: Piece, following: str, forum: bool) -> tuple[str, ...]:
    if BYLINE_LABEL.match(piece.text):
        return _keep_plausible_names(parse_byline(following), forum)
    if BYLINE_START.match(piece.text) or LABELLED_BYLINE.match(piece.text):
        return _keep_plausible_names(parse_byline(piece.text), forum)
    if label := LABEL_IN_LINE.search(piece.text):
        return _keep_plausible_names(parse_byline(piece.text[label.end() :]), forum)
    if is_author_marked(piece.element, 3 if _is_linked_heading(piece.element) else 2):
        return parse_byline(piece.text)
    return parse_byline(piece.text) if forum and POSTER_CLASS.search(piece.element.get("class") or "") else ()


def _is_linked_heading(element: HtmlElement) -> bool:
    """Return whether the element is the link of a heading, in which archives of mail write names."""
    return element.tag == "a" and element.parent is not None and element.parent.tag in HEADINGS


def is_secondary_content(element: HtmlElement) -> bool:
    """Return whether the element is in a comment, a customer review or a teaser of another page."""
    node = element.getparent()
    while node is not None and node.tag not in ("body", "main"):
        words = f"{node.get('class') or ''} {node.get('id') or ''} {node.get('itemprop') or ''}"
        if SECONDARY_CLASS.search(words) and len(words) < 300:
            return True
        node = node.getparent()
    return False


def _keep_plausible_names(names: tuple[str, ...], forum: bool) -> tuple[str, ...]:
    """Keep the parts that look like names: “by clicking” does not."""
    return tuple(
        name
        for name in names
        if len(name.split()) <= 5 and (forum or not (name[0].islower() or BYLINE_LABEL.match(name)))
    )


def is_author_marked(element: HtmlElement, levels: int = 2) -> bool:
    """Return whether the element, or one of its `levels - 1` ancestors, is marked as the author."""
    node: HtmlElement | None = element
    for _ in range(levels):
        if node is None:
            return False
        if node.attributes and _is_author_marked(node.attributes):
            return True
        node = node.parent
    return False


def _is_author_marked(attributes: Mapping[str, str]) -> bool:
    if (
        attributes.get("rel") == "author"
        or "author" in (attributes.get("itemprop") or "")
        or PROFILE_URL.search(attributes.get("href") or "")
    ):
        return True
    words = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return len(words) < 300 and bool(AUTHOR_CLASS.search(words)) and not NO_AUTHOR_CLASS.search(words)
