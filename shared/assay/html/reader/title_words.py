"""The words of a page's title, compared with the words at the beginning of a text."""

from assay.html.parser.html_element import HtmlElement
from assay.text.unspaced_words import WORD_OR_LETTER

BEGINNING = 120  # characters of a text that are compared with the title


class TitleWords:
    """The words of the title of one page."""

    def __init__(self, tree: HtmlElement) -> None:
        title = next(tree.iter("title"), None)
        self.words = set(WORD_OR_LETTER.findall((title.text or "").lower())) if title is not None else set()

    def measure_share(self, text: str) -> float:
        """Return the number of title words among the first words of a text, divided by the number of these."""
        words = WORD_OR_LETTER.findall(text[:BEGINNING].lower())
        return len(self.words.intersection(words)) / (len(words) or 1)
