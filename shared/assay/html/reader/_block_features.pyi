from collections.abc import Callable, Mapping

from assay.html.reader.block_classifier import Row
from assay.html.reader.block_features import Columns
from assay.html.reader.frame_contexts import Traits
from assay.html.reader.text_blocks import Frame, TextBlock

type Numbers = tuple[float, ...]

def build_rows(
    frames: list[Frame],
    blocks: list[TextBlock],
    columns: Columns,
    around_page: tuple[Numbers, Numbers, Numbers],
    knowledge: tuple[
        Callable[[str], int],
        Callable[[str, int], Traits],
        Callable[[str], str],
        Mapping[str, int],
        int,
        str,
        str,
        float,
    ],
    /,
) -> list[Row | None]: ...
