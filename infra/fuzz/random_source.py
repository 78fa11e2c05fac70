"""Random choices derived from bytes, so that a fuzzer that changes a byte changes one choice."""

from collections.abc import Sequence


class FuzzedDataProvider:
    """Consumes its bytes in order; at their end every number is 0 and every text empty."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._at = 0

    @property
    def remaining(self) -> int:
        return len(self._source) - self._at

    def consume_int(self, limit: int) -> int:
        """Return an integer from 0 to `limit`, inclusive."""
        consumed = self.consume_bytes(1 if limit < 256 else 2)
        return int.from_bytes(consumed) % (limit + 1)

    def pick[T](self, options: Sequence[T]) -> T:
        return options[self.consume_int(len(options) - 1)]

    def consume_bytes(self, limit: int) -> bytes:
        consumed = self._source[self._at : self._at + limit]
        self._at += len(consumed)
        return consumed

    def consume_text(self, limit: int = 24) -> str:
        """Return any characters except surrogates, including invisible ones."""
        return (
            self.consume_bytes(self.consume_int(limit)).decode("utf-8", "replace")
            if self.consume_int(3)
            else self._hostile_text()
        )

    def _hostile_text(self) -> str:
        return "".join(self.pick(HOSTILE_SNIPPETS) for _ in range(self.consume_int(6)))


HOSTILE_SNIPPETS = (
    *("<", ">", "&", '"', "'", "`", "```", "*", "**", "_", "__", "[", "]", "](", "(", ")", "![", "|", "\\", "#", "~~"),
    *("\n", "\r", "\t", "\x0c", "\x0b", "\x00", "\x1b[31m", "\x1b]8;;", "\x9b", "\x85", "\xa0", "\xad", "\u061c"),
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2066"),
    *("\ufeff", "\ufe0f", "\ufffe", "\ufff9", "\U000e0041", "\U000e007f", "\U000e0101", "\U0001f3f4", "\ue000", "ا"),
    *("क", "é", "e\u0301", "漢", "👩", "🇳🇴", "&lt;", "&#0;", "&#x202e;", "&#xe0041;", "&#xd800;", "&zwj;", "&nbsp;"),
    *("http://", "javascript:", "//", "data:text/html,", "- ", "1. ", "> ", "# ", "---", "[x]: ", "<b>", "-->", "]]>"),
    *("9" * 40, "x" * 300, "\ud7ff", "ﬀ", "İ", "ß", "$$", "\u034f", "\u3164", "\U0001d173", "<script>", "</", "<!--"),
)
