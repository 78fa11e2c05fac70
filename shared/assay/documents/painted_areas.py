"""Whether what a document paints may be behind a text box without a fill, by its size; its place is not computed."""

from collections.abc import Iterable
from itertools import islice

MAX_PAINTED = 200  # pictures and shapes that are compared; with more, something may be behind each box
SHARE = 0.5  # of the width and height of a box, which is often larger than its text

type Size = tuple[float | None, float | None]  # width and height in one unit, None where unknown


class PaintedAreas:
    """The sizes of the pictures and painted shapes of a document."""

    def __init__(self, sizes: Iterable[Size]) -> None:
        self._sizes = list(islice(sizes, MAX_PAINTED + 1))

    def may_be_behind(self, box: Size) -> bool:
        """Return whether one of them is so large that the text of a box may stand before it."""
        width, height = (SHARE * (side or 0) for side in box)
        return len(self._sizes) > MAX_PAINTED or any(
            (wide is None or wide >= width) and (high is None or high >= height) for wide, high in self._sizes
        )
