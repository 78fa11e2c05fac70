from array import array

from assay.html.reader.bit_set_trees import Rows

class Model: ...  # a capsule

def build(
    parts: tuple[int, ...],
    starts: array[int],
    thresholds: array[float],
    owners: array[int],
    masks: array[int],
    steps: bytes,
    /,
) -> Model: ...
def sum_leaves(model: Model, rows: Rows, shared: tuple[float, ...], /) -> list[int | None]: ...
