"""Text that PowerPoint draws without size, without fill, or in the colour of what is behind it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from assay.documents.docx_formatting import COLOUR, PAPER, is_similar_color
from assay.documents.ooxml import Package, find_child
from assay.documents.pptx_visibility import Box, find_own_property, is_hidden_shape, read_box, read_integer
from assay.text.safe_xml import Element, get_attribute, local_name

TINY = 200  # hundredths of a point; smaller text counts as hidden
SHAPES = 200  # maximum number of painted shapes; behind more, the background of a text is unknown
FILLS = {"solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}


class Painted(NamedTuple):
    """A shape that covers what is behind it. The colour is RRGGBB, "" if unknown."""

    box: Box | None
    color: str


class Placeholder(NamedTuple):
    """What a shape of a slide inherits from its layout."""

    box: Box | None
    fill: str | None


@dataclass
class Template:
    """What the slides of one layout share: theme colours by the names that slides use, background, painted shapes."""

    colors: dict[str, str] = field(default_factory=dict)
    background: str = PAPER
    painted: list[Painted] = field(default_factory=list)
    placeholders: dict[str, Placeholder] = field(default_factory=dict)


class Templates:
    """The templates of a presentation by layout, parsed on demand."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._templates: dict[str, Template] = {}

    def find(self, slide: str) -> Template:
        layout = _find_part(self._package, slide, "slideLayout")
        if layout not in self._templates:
            self._templates[layout] = self._read(layout)
        return self._templates[layout]

    def _read(self, layout: str) -> Template:
        master = _find_part(self._package, layout, "slideMaster")
        theme = _find_part(self._package, master, "theme")
        roots = [self._package.root(name) if name else None for name in (layout, master, theme)]
        template = Template(_read_scheme(roots[2], roots[1]))
        layers = [root for root in roots[:2] if root is not None]
        for layer in reversed(layers):
            template.background = read_background(layer, template)
            for shape in _list_shapes(layer):
                key = read_placeholder_key(shape)
                if key:
                    template.placeholders[key] = Placeholder(read_box(shape), read_fill(shape, template))
                else:
                    _add_painted(template.painted, shape, template)
        return template


class SlideColors:
    """Decides which text of a slide is invisible."""

    def __init__(self, templates: Templates, name: str, root: Element) -> None:
        self._templates, self._name, self._root = templates, name, root
        self._painted: dict[Element, int] | None = None  # the number of painted shapes behind each shape
        self._behind: list[Painted] = []
        self._backgrounds: dict[Element, str] = {}

    @cached_property
    def _template(self) -> Template:
        return self._templates.find(self._name)

    def is_hidden(self, formats: list[Element], shape: Element, background: str | None = None) -> bool:
        """Whether text of this shape, or on `background`, is invisible by `formats`, the run's own properties first."""
        size = next((found for properties in formats if (found := read_integer(properties, "sz")) > 0), TINY)
        if size < TINY:
            return True
        fills = (part for properties in formats for part in properties if local_name(part) in {*FILLS, "noFill"})
        fill = next(fills, None)
        if fill is None or local_name(fill) not in {"solidFill", "noFill"}:
            return False
        if local_name(fill) == "noFill" or any(_is_transparent(item) for item in fill.iter()):
            return not any(_has_outline(properties) for properties in formats)
        color = read_color(fill, self._template)
        if not color:
            return False
        if background is None:
            if shape not in self._backgrounds:
                self._backgrounds[shape] = self._read_background_of(shape)
            background = self._backgrounds[shape]
        return is_similar_color(color, background)

    def read_cell_fill(self, cell: Element) -> str:
        """The fill colour of a table cell; "" if its table's style decides it."""
        properties = find_child(cell, "tcPr")
        fill = None if properties is None else find_child(properties, "solidFill")
        return "" if fill is None else read_color(fill, self._template)

    def _read_background_of(self, shape: Element) -> str:
        """The colour behind the text of a shape: its fill, or that of the topmost shape behind it; "" if unknown."""
        template = self._template
        inherited = template.placeholders.get(read_placeholder_key(shape), Placeholder(None, None))
        fill = read_fill(shape, template)
        fill = inherited.fill if fill is None else fill
        if fill is not None:
            return fill
        box = read_box(shape) or inherited.box
        behind = self._find_behind(shape, template)
        if box is None or len(behind) > SHAPES:
            return ""
        for painted in reversed(behind):
            if painted.box is None or _overlaps(box, painted.box):
                return painted.color if painted.box is not None and _contains(painted.box, box) else ""
        return read_background(self._root, template)

    def _find_behind(self, shape: Element, template: Template) -> list[Painted]:
        if self._painted is None:
            self._painted, self._behind = {}, list(template.painted)
            for other in _list_shapes(self._root):
                self._painted[other] = len(self._behind)
                _add_painted(self._behind, other, template)
        return self._behind[: self._painted.get(shape, SHAPES + 1)]


def _is_transparent(item: Element) -> bool:
    return local_name(item) == "alpha" and get_attribute(item, "val") == "0"


def _has_outline(properties: Element) -> bool:
    line = find_child(properties, "ln")
    return line is not None and any(local_name(part) in FILLS for part in line)


def _find_part(package: Package, name: str, kind: str) -> str:
    relations = package.relations(name).values() if name else ()
    return next((relation.target for relation in relations if relation.kind == kind and not relation.outside), "")


def _list_shapes(root: Element) -> list[Element]:
    drawn = (item for item in root.iter() if local_name(item) in {"sp", "pic", "graphicFrame"})
    return [shape for shape in drawn if not is_hidden_shape(shape)]


def read_placeholder_key(shape: Element) -> str:
    """The key by which slides and layouts name the same placeholder; "" for other shapes."""
    placeholder = find_own_property(shape, "nvPr/ph")
    if placeholder is None:
        return ""
    kind = get_attribute(placeholder, "type")
    return {"ctrTitle": "title"}.get(kind, kind) or f"#{get_attribute(placeholder, 'idx')}"


def _add_painted(painted: list[Painted], shape: Element, template: Template) -> None:
    """Append the shape if it covers what is behind it; one more than SHAPES says that there are too many."""
    if len(painted) > SHAPES:
        return
    fill = "" if local_name(shape) != "sp" else read_fill(shape, template)
    if fill is not None:
        painted.append(Painted(read_box(shape), fill))


def read_fill(shape: Element, template: Template) -> str | None:
    """The fill colour that a shape specifies, "" if it is no plain colour; None if it is transparent."""
    properties = find_child(shape, "spPr")
    for part in () if properties is None else properties:
        if local_name(part) == "noFill":
            return None
        if local_name(part) in FILLS:
            return read_color(part, template) if local_name(part) == "solidFill" else ""
    reference = find_child(shape, "style", "fillRef")
    return None if reference is None or get_attribute(reference, "idx") == "0" else ""


def read_color(fill: Element, template: Template) -> str:
    """The colour of a solid fill; "" if it is translucent, computed, or not of the theme."""
    color = next(iter(fill), None)
    if color is None or len(color):
        return ""
    name = get_attribute(color, "val")
    if local_name(color) == "srgbClr":
        return name if COLOUR.fullmatch(name) else ""
    return template.colors.get(name, "") if local_name(color) == "schemeClr" else ""


def read_background(root: Element, template: Template) -> str:
    """The background colour of a slide, layout or master; that of its template if it has none of its own."""
    background = find_child(root, "cSld", "bg")
    if background is None:
        return template.background
    fill = find_child(background, "bgPr", "solidFill")
    fill = find_child(background, "bgRef") if fill is None else fill
    return "" if fill is None else read_color(fill, template)


def _read_scheme(theme: Element, master: Element) -> dict[str, str]:
    """Colours by the names of the theme (`lt1`) and by the names that slides use for them (`bg1`)."""
    scheme = None if theme is None else find_child(theme, "themeElements", "clrScheme")
    colors = {}
    for entry in () if scheme is None else scheme:
        color = next(iter(entry), None)
        value = "" if color is None else get_attribute(color, "lastClr") or get_attribute(color, "val")
        colors[local_name(entry)] = value if COLOUR.fullmatch(value) else ""
    names = None if master is None else find_child(master, "clrMap")
    return colors | ({} if names is None else {key: colors.get(value, "") for key, value in names.items()})


def _overlaps(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _contains(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
