"""The room of a page of entries, which ends before it is too large; what does not fit belongs on the next page."""

from assay.state.artifacts import measure_answer
from assay.toolkit.base import Output

ENVELOPE_BYTES = 2_000  # of an answer, besides its entries
ENTRY_BYTES = 200  # of an entry, besides what is measured: its separator, and how well it matches a query


class PageRoom:
    """Room for entries in an answer of `limit` bytes, measured as MCP sends it: as JSON and as text."""

    def __init__(self, limit: int) -> None:
        self._left, self._is_empty = limit - ENVELOPE_BYTES, True

    def take(self, entry: Output) -> bool:
        """Whether there is room for one more entry, which it then takes. The first one always fits."""
        size = measure_answer(entry.wire(), None) + ENTRY_BYTES
        if size > self._left and not self._is_empty:
            return False
        self._left, self._is_empty = self._left - size, False
        return True
