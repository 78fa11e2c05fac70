"""Text as a script without spaces between words would have it, for pages that train the reading model.

Each word becomes one to three ideographs, always the same ones; numbers, addresses and the words' order stay. Words
that mark boilerplate become the Chinese ones that `lexical_markers` knows.
"""

import re
from hashlib import blake2b
from random import Random

from lxml import etree
from lxml.html import HtmlElement

MARKERS = {
    "related": "相关", "recommended": "推荐", "popular": "热门", "latest": "最新", "recent": "最新", "more": "更多",
    "trending": "热点", "next": "下一篇", "previous": "上一篇", "comment": "评论", "comments": "评论", "reply": "留言",
    "leave": "发表", "share": "分享", "print": "打印", "save": "收藏", "subscribe": "订阅", "newsletter": "订阅",
    "register": "注册", "login": "登录", "follow": "关注我们", "copyright": "版权所有", "rights": "版权",
    "privacy": "隐私", "disclaimer": "免责声明", "author": "作者", "editor": "编辑：",
}  # fmt: skip
TOKEN = re.compile(
    r"(?P<address>https?://\S+)|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)|(?P<space>\s+)|(?P<sign>[,.;:!?]+(?=\s|$))|.",
    re.DOTALL,
)
SIGNS = str.maketrans(",.;:!?", "，。；：！？")
FIRST, COUNT = 0x4E00, 3000  # the ideographs of common use are spread over the block; these stand for them
LENGTHS = (1, 2, 2, 2, 3)  # ideographs of a word; with those of short words about 1.6 on the mean
SHORT = 3  # letters of the words that become one ideograph
DIGITS = frozenset("0123456789")
UNREAD = frozenset(("script", "style"))


def translate(text: str) -> str:
    """Return the text with ideographs for words and without the spaces between them."""
    parts: list[str] = []
    for found in TOKEN.finditer(text):
        token, kind = found[0], found.lastgroup
        if kind == "word":
            parts.append(_translate_word(token.lower()))
        elif kind == "sign":
            parts.append(token.translate(SIGNS))
        elif kind != "space":
            parts.append(token)
        elif "\n" in token:
            parts.append("\n")
        elif parts and parts[-1][-1:] in DIGITS:
            parts.append(" ")
    return "".join(parts)


def _translate_word(word: str) -> str:
    if word in MARKERS:
        return MARKERS[word]
    digest = blake2b(word.encode(), digest_size=7).digest()
    length = 1 if len(word) <= SHORT else LENGTHS[digest[0] % len(LENGTHS)]
    places = (int.from_bytes(digest[start : start + 2]) % COUNT for start in (1, 3, 5))
    return "".join(chr(FIRST + place * 6) for place in list(places)[:length])


def translate_tree(root: HtmlElement, _rng: Random) -> None:
    """Replace the texts of the elements, and their alternative texts."""
    for element in root.iter(etree.Element):
        if element.text and element.tag not in UNREAD:
            element.text = _translate_around(element.text)
        if element.tail:
            element.tail = _translate_around(element.tail)
        for name in ("alt", "title", "aria-label"):
            if value := element.get(name):
                element.set(name, translate(value))


def _translate_around(text: str) -> str:
    """Translate a text of a page, which keeps the white space at its ends: it may stand between elements."""
    inner = text.strip()
    if not inner:
        return text
    start = text.index(inner)
    return text[:start] + translate(inner) + text[start + len(inner) :]
