"""Alternative texts of images that say nothing, or only the name of a file."""

import re

from assay.html.reader.text_blocks import TextBlock
from assay.text.word_lists import parse_words

FILE_NAME = re.compile(
    r"^.{1,100}\.(?:jpe?g|png|gif|webp|svg|avif)$|^[\w-]*\d{5,}[\w-]*$|\d[x×]\d{2,4}$"
    r"|^(?:dscn?|img|imag|screen[\s_-]?shot|shutterstock|istock(?:photo)?|adobe ?stock|depositphotos|unsplash|pexels)"
    r"[\s_-]{0,3}\d|^refer to caption$",  # which LaTeXML writes for every figure
    re.IGNORECASE,
)
NAME = re.compile(r"[^\W_]+[-_](?:[^\W_]+[-_][\w-]+|\w*\d\w*)")  # three words, or two with a digit
WORD = re.compile(r"\w+")
MIN_WORDS = 4  # of an alternative text that may be a part of another
FIRST_LETTERS = 4
MAX_SOURCE = 120  # characters of a caption beside such a text
ICON_WORDS = parse_words("icon logo symbol")
NOT_WORD = re.compile(r"[\W_]+")
EMPTY_WORDS = parse_words(
    "image img photo picture icon logo avatar thumbnail banner placeholder spacer loading untitled arrow close menu "
    "search profile cover figure graphic screenshot photograph illustration quote view post external link chevron "
    "caret expand collapse share tooltip dropdown toggle play"
)


def is_meaningful(alt: str) -> bool:
    """Return whether the alternative text of an image says anything."""
    words = [word for word in re.findall(r"\w+", alt.lower()) if not word.isdigit()]
    return any(word not in EMPTY_WORDS for word in words)


def list_words(text: str) -> str:
    """Return the words of the text between single spaces, for comparison."""
    return f" {' '.join(WORD.findall(text.casefold()))} "


def repeats_words(alt: str, before: str, after: str) -> bool:
    """Return whether listed words before or after an image are those of its alternative text, but for one that says
    that it is an icon.
    """
    words = [word for word in WORD.findall(alt.casefold()) if word not in ICON_WORDS]
    said = f" {' '.join(words)} "
    return bool(words) and (before.endswith(said) or after.startswith(said))


def is_title(block: TextBlock, title: str) -> bool:
    """Return whether a text beside an embedded document is its title."""
    return block.text == title


def says_alternative(block: TextBlock, alt: str) -> bool:
    """Return whether a text beside an image is its alternative text, or a caption with its number or source, too."""
    if is_title(block, alt):
        return True
    if not len(alt) // 2 < len(block.text) <= len(alt) + MAX_SOURCE:
        return False
    if alt[:FIRST_LETTERS].casefold() not in block.text.casefold():
        return False  # as for most texts
    said, words = list_words(block.text), list_words(alt)
    return words.count(" ") > MIN_WORDS and (said.startswith(words) or said.endswith(words))


def names_file(alt: str, source: str) -> bool:
    """Return whether the alternative text of an image is the name of its file."""
    if FILE_NAME.search(alt):
        return True
    is_name = NAME.fullmatch(alt) is not None
    return is_name and NOT_WORD.sub("", alt).lower() in NOT_WORD.sub("", source).lower()
