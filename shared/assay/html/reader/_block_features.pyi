from collections.abc import Callable, Mapping

from assay.html.reader.block_classifier import Row
from assay.html.reader.block_features import Columns
from assay.html.reader.frame_contexts import Traits
from assay.html.reader.text_blocks import Frame, TextBlock

type Numbers = tuple[float, ...]

def measure_blocks(
    frames: list[Frame],
    blocks: list[TextBlock],
    title: tuple[list[str], Callable[[str], float]],
    columns: Columns,
    around_page: tuple[Numbers, Numbers, Numbers],
    knowledge: tuple[
        Callable[[str], int],
        Callable[[str], int],
        Callable[[str, int], Traits],
        Callable[[str], str],
        Mapping[str, int],
        int,
        str,
        str,
        str,
        float,
    ],
    /,
) -> tuple[list[Row | None], int, int]: ...
