from collections.abc import Callable

from assay.html.css.cascade_layers import Layer

def cut_rules(css: str, codes: bytes, start: int, layer: Layer, /) -> tuple[list[tuple[str, str, Layer]], int]: ...
def find_declared(body: str, /) -> set[str]: ...
def find_concerned(
    rules: list[tuple[str, str, Layer]],
    names: set[str],
    max_selectors: int,
    max_rules: int,
    split_list: Callable[[str], list[str]],
    may_concern: Callable[[str, set[str]], bool],
    /,
) -> dict[tuple[str, str, Layer], int]: ...
