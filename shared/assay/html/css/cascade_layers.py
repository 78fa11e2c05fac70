"""The order of cascade layers (CSS Cascading and Inheritance Level 5, section 6.4)."""

from math import inf

from assay.html.css.css_syntax import split_list

# The places of a layer and of the layers around it, each among its siblings, then infinity: rules outside the layers
# within come after those inside.
type Layer = tuple[float, ...]

UNLAYERED: Layer = (inf,)
MAX_LAYERS = 1_000  # layers of a document; the rules of further ones count as rules of the last


class LayerOrder:
    """The layers of a document's sheets in the order of their first mention."""

    def __init__(self) -> None:
        self.places: dict[tuple[Layer, str], int] = {}
        self.children: dict[Layer, int] = {}

    def enter(self, around: Layer, names: str) -> Layer:
        """Return the layer that a block or statement names, such as `a.b`; without a name it is a new one."""
        layer = around
        for name in names.split(".") if names.strip() else [f" {len(self.places)}"]:
            outer = layer[:-1]
            key = (outer, name.strip() if names.strip() else name)
            if key not in self.places and len(self.places) < MAX_LAYERS:
                self.places[key] = self.children[outer] = self.children.get(outer, -1) + 1
            layer = (*outer, self.places.get(key, MAX_LAYERS), inf)
        return layer

    def declare(self, around: Layer, statement: str) -> None:
        """Register the layers of a statement such as `@layer a, b`."""
        words = statement.strip()
        if words[:6].lower() == "@layer" and words[6:7].isspace():
            for names in split_list(words[6:]):
                if names.strip():
                    self.enter(around, names)
