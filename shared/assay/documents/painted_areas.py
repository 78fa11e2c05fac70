"""Whether a picture or shape may be behind a text box without a fill, by its size; its place is not computed."""

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import Literal

MAX_PAINTED = 200  # pictures and shapes that are compared; with more, something may be behind each box
SHARE = 0.5  # of the width and height of a box, which is often larger than its text

type Fill = Literal["paint", "paper", "none"]  # of a box; what is behind it shows through one without a fill
type Size = tuple[float | None, float | None]  # width and height in one unit, None where unknown


class PaintedAreas:
    """The sizes of the pictures and painted shapes of a document."""

    def __init__(self, sizes: Iterable[Size]) -> None:
        self._given = sizes

    @cached_property
    def _sizes(self) -> list[Size]:
        return list(islice(self._given, MAX_PAINTED + 1))

    def shows_white(self, fill: Fill, box: Size, *, is_filled: bool) -> bool:
        """Return whether white text may show in a box; `is_filled` tells whether what is around it has a fill."""
        return fill == "paint" or (fill == "none" and (is_filled or self.may_be_behind(box)))

    def may_be_behind(self, box: Size) -> bool:
        """Return whether one of them is so large that the text of a box may stand before it."""
        width, height = (SHARE * (side or 0) for side in box)
        return len(self._sizes) > MAX_PAINTED or any(
            (wide is None or wide >= width) and (high is None or high >= height) for wide, high in self._sizes
        )
