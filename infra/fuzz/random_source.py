"""Random choices derived from bytes, so that a fuzzer that changes a byte changes one choice."""

from collections.abc import Sequence


class Dice:
    """Consumes its bytes in order; at their end every number is 0 and every text empty."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._source) - self._at

    def throw(self, most: int) -> int:
        """Return an integer from 0 to `most`, inclusive."""
        taken = self.bytes(1 if most < 256 else 2)
        return int.from_bytes(taken) % (most + 1)

    def of[T](self, options: Sequence[T]) -> T:
        return options[self.throw(len(options) - 1)]

    def often(self, times_of_ten: int) -> bool:
        return self.left > 0 and self.throw(9) < times_of_ten

    def bytes(self, most: int) -> bytes:
        taken = self._source[self._at : self._at + most]
        self._at += len(taken)
        return taken

    def text(self, most: int = 24) -> str:
        """Return any characters except surrogates, including invisible ones."""
        return self.bytes(self.throw(most)).decode("utf-8", "replace") if self.throw(3) else self._odd()

    def _odd(self) -> str:
        return "".join(self.of(ODD) for _ in range(self.throw(6)))


ODD = (
    *("<", ">", "&", '"', "'", "`", "```", "*", "**", "_", "__", "[", "]", "](", "(", ")", "![", "|", "\\", "#", "~~"),
    *("\n", "\r", "\t", "\x0c", "\x0b", "\x00", "\x1b[31m", "\x1b]8;;", "\x9b", "\x85", "\xa0", "\xad", "\u061c"),
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2066"),
    *("\ufeff", "\ufe0f", "\ufffe", "\ufff9", "\U000e0041", "\U000e007f", "\U000e0101", "\U0001f3f4", "\ue000", "ا"),
    *("क", "é", "e\u0301", "漢", "👩", "🇳🇴", "&lt;", "&#0;", "&#x202e;", "&#xe0041;", "&#xd800;", "&zwj;", "&nbsp;"),
    *("http://", "javascript:", "//", "data:text/html,", "- ", "1. ", "> ", "# ", "---", "[x]: ", "<b>", "-->", "]]>"),
    *("9" * 40, "x" * 300, "\ud7ff", "ﬀ", "İ", "ß", "$$", "\u034f", "\u3164", "\U0001d173", "<script>", "</", "<!--"),
)
