"""Removal of hidden text from a PDF page: invisible, transparent, tiny, off the page, covered, or background-coloured.

PDFium's page object API: fpdf_edit.h. Text render modes: ISO 32000-1 section 9.3.6.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.pdf_drawn import find_undrawn
from assay.documents.pdf_objects import Box, Color, Ground, Matrix, PdfPath, PdfTextObject
from assay.documents.pdfium import pdfium

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5  # FPDF_PAGEOBJ_*
STROKED, UNSEEN = 1, (3, 7)  # text render modes: stroke; neither fill nor stroke
DEPTH = 8  # maximum nesting of forms
SMALLEST = 1.5  # points; legal small print is three times that
SEE_THROUGH, SOLID = 26, 128  # alpha (0 to 255): below, text is invisible; above, an area is opaque
NEAR = 12  # maximum difference per channel (0 to 255) of colours that readers cannot distinguish
SPECK = 16.0  # square points; a smaller area is not a background
SCANNED = 0.6  # share of the page that images must cover for invisible text to count as OCR text
STAMP = 0.1  # maximum ratio of visible to OCR text, such as a stamp printed over a scan

type KeepHidden = Callable[[int, list[PdfTextObject]], None]

WHITE: Color = (255, 255, 255, 255)
BLACK: Color = (0, 0, 0, 255)


@dataclass
class Scene:
    """The objects of a page in painting order."""

    page: int
    box: Box
    words: list[PdfTextObject] = field(default_factory=list)
    painted: list[tuple[int, int, int, Matrix | None]] = field(default_factory=list)  # order, kind, object, matrix


class VisibleObjects(NamedTuple):
    """What a page shows: the boxes of its text objects, its paths, the boxes of areas of several colours; and the
    number of removed text objects.
    """

    boxes: list[Box]
    paths: list[PdfPath]
    shadings: list[Box]
    removed: int


def remove_hidden_text(page: int, keep: KeepHidden | None = None) -> VisibleObjects:
    """Remove a page's hidden text; `keep` is called with the page and what will be removed."""
    api = pdfium()
    scene = Scene(page, read_page_box(page))
    get, get_type, mode_of = api.Page_GetObject, api.PageObj_GetType, api.TextObj_GetTextRenderMode
    bounds_of, color_of, words = api.PageObj_GetBounds, api.PageObj_GetFillColor, scene.words
    one, two, three, four = api.four_floats
    red, green, blue, alpha = api.four_ints
    floats, ints = api.floats, api.ints
    for index in range(api.Page_CountObjects(page)):
        thing = get(page, index)
        kind = get_type(thing)
        mode = mode_of(thing) if kind == TEXT else STROKED
        if mode == STROKED:
            _record(scene, thing, kind, 0, None)
            continue
        bounds_of(thing, one, two, three, four)  # inlined: most objects are of this kind
        color = tuple(ints.tolist()) if color_of(thing, red, green, blue, alpha) else BLACK
        words.append(PdfTextObject(thing, 0, tuple(floats.tolist()), len(words) + len(scene.painted), mode, color))
    paths = [PdfPath(thing, matrix) for _, kind, thing, matrix in scene.painted if kind == PATH]
    shadings = [read_bounds(thing, matrix) for _, kind, thing, matrix in scene.painted if kind == SHADING]
    hidden = _find_hidden_words(scene)
    if not hidden:
        return VisibleObjects([seen.box for seen in words], paths, shadings, 0)
    if keep:
        keep(page, hidden)
    for unseen in hidden:
        _remove(page, unseen)
    gone = {unseen.order for unseen in hidden}
    return VisibleObjects([seen.box for seen in words if seen.order not in gone], paths, shadings, len(hidden))


def _record(scene: Scene, thing: int, kind: int, owner: int, matrix: Matrix | None, depth: int = 0) -> None:
    order = len(scene.words) + len(scene.painted)
    if kind == TEXT:
        api = pdfium()
        mode = api.TextObj_GetTextRenderMode(thing)
        one, two, three, four = api.four_ints
        get_color = api.PageObj_GetStrokeColor if mode == STROKED else api.PageObj_GetFillColor
        color = tuple(api.ints.tolist()) if get_color(thing, one, two, three, four) else BLACK
        scene.words.append(PdfTextObject(thing, owner, read_bounds(thing, matrix), order, mode, color))
    elif kind == FORM and depth < DEPTH:
        _record_form(scene, thing, matrix, depth)
    else:
        scene.painted.append((order, kind, thing, matrix))


def _record_form(scene: Scene, form: int, matrix: Matrix | None, depth: int) -> None:
    api = pdfium()
    own = read_matrix(form)
    inner = multiply(matrix, own) if matrix else own
    for index in range(api.FormObj_CountObjects(form)):
        thing = api.FormObj_GetObject(form, index)
        _record(scene, thing, api.PageObj_GetType(thing), form, inner, depth + 1)


def _remove(page: int, words: PdfTextObject) -> None:
    api = pdfium()
    if words.owner:
        gone = api.FormObj_RemoveObject(words.owner, words.thing)
    else:
        gone = api.Page_RemoveObject(page, words.thing)
    if gone:
        api.PageObj_Destroy(words.thing)


def _find_hidden_words(scene: Scene) -> list[PdfTextObject]:
    grounds = _find_grounds(scene)
    risky: dict[Color, bool] = {}
    left, bottom, right, top = scene.box
    found, invisible = [], []
    for words in scene.words:
        box, color = words.box, words.color
        if color not in risky:
            risky[color] = _is_risky(color, grounds)
        if words.mode in UNSEEN:
            invisible.append(words)
        elif (
            (risky[color] and _is_invisible(words, grounds))
            or box[2] < left
            or box[0] > right
            or box[3] < bottom
            or box[1] > top
            or _is_too_small(words)
        ):
            found.append(words)
    gone = {words.order for words in found} | {words.order for words in invisible}
    for words in find_undrawn(scene.page, [words for words in scene.words if words.order not in gone], grounds):
        (invisible if _is_under_picture(words, scene) else found).append(words)
    if invisible and not _is_recognised(scene, invisible, found):
        found += invisible
    return found


def _is_under_picture(words: PdfTextObject, scene: Scene) -> bool:
    """Whether an image is painted over the text, as in scans with OCR text."""
    x, y = (words.box[0] + words.box[2]) / 2, (words.box[1] + words.box[3]) / 2
    for order, kind, thing, matrix in scene.painted:
        if kind == IMAGE and order > words.order:
            left, bottom, right, top = read_bounds(thing, matrix)
            if left <= x <= right and bottom <= y <= top:
                return True
    return False


def _is_risky(color: Color, grounds: list[Ground]) -> bool:
    """Whether text of this colour is invisible on some background of the page."""
    return color[3] < SEE_THROUGH or _is_near(color, WHITE) or any(_is_near(color, ground.color) for ground in grounds)


def _is_invisible(words: PdfTextObject, grounds: list[Ground]) -> bool:
    return words.color[3] < SEE_THROUGH or _is_near(words.color, _read_ground_color(words, grounds))


def _is_near(color: Color, other: Color | None) -> bool:
    return other is not None and all(abs(one - two) <= NEAR for one, two in zip(color[:3], other, strict=False))


def _is_too_small(words: PdfTextObject) -> bool:
    left, bottom, right, top = words.box
    if top - bottom >= SMALLEST and right - left >= SMALLEST:
        return False
    return _measure_area(words.box) > 0 and _read_font_size(words.thing) < SMALLEST


def _find_grounds(scene: Scene) -> list[Ground]:
    api = pdfium()
    found = []
    for order, kind, thing, matrix in scene.painted:
        if kind == PATH:
            api.Path_GetDrawMode(thing, *api.four_ints[:2])
            if not api.ints[0]:
                continue
        color = _read_color(thing) if kind == PATH else None
        box = read_bounds(thing, matrix)
        if _measure_area(box) >= SPECK and (color is None or color[3] >= SOLID):
            found.append(Ground(order, box, color))
    return found


def _read_ground_color(words: PdfTextObject, grounds: list[Ground]) -> Color | None:
    """The colour under the middle of the text object; None for an image."""
    x, y = (words.box[0] + words.box[2]) / 2, (words.box[1] + words.box[3]) / 2
    color: Color | None = WHITE
    for ground in grounds:
        if ground.order > words.order:
            break
        left, bottom, right, top = ground.box
        if left <= x <= right and bottom <= y <= top:
            color = ground.color
    return color


def _is_recognised(scene: Scene, invisible: list[PdfTextObject], hidden: list[PdfTextObject]) -> bool:
    """Whether the invisible text is the OCR text of a scan: images fill the page, which has little other text."""
    known = {words.order for words in invisible} | {words.order for words in hidden}
    seen = sum(_estimate_letters(words.box) for words in scene.words if words.order not in known)
    if seen > STAMP * sum(_estimate_letters(words.box) for words in invisible):
        return False
    pictures = sum(
        _measure_area(read_bounds(thing, matrix)) for _, kind, thing, matrix in scene.painted if kind == IMAGE
    )
    return pictures >= SCANNED * _measure_area(scene.box)


def _measure_area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _estimate_letters(box: Box) -> float:
    """The approximate number of characters in a text box of this size."""
    return (box[2] - box[0]) / max(1.0, (box[3] - box[1]) * 0.6)


def read_bounds(thing: int, matrix: Matrix | None) -> Box:
    """The bounding box of an object in page coordinates; `matrix` is that of the forms around it."""
    api = pdfium()
    one, two, three, four = api.four_floats
    api.PageObj_GetBounds(thing, one, two, three, four)
    box: Box = tuple(api.floats.tolist())
    return box if matrix is None else _transform_box(box, matrix)


def _transform_box(box: Box, matrix: Matrix) -> Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    points = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _read_color(thing: int) -> Color:
    """The fill colour; opaque black for a pattern or none."""
    api = pdfium()
    found: Color = tuple(api.ints.tolist()) if api.PageObj_GetFillColor(thing, *api.four_ints) else BLACK
    return found


def read_matrix(thing: int) -> Matrix:
    api = pdfium()
    if not api.PageObj_GetMatrix(thing, api.six_place):
        return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    matrix: Matrix = tuple(api.six.tolist())
    return matrix


def multiply(outer: Matrix, inner: Matrix) -> Matrix:
    """Multiply the matrices: apply `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _read_font_size(thing: int) -> float:
    """The effective font size in points: the nominal size, scaled by the text matrix."""
    api = pdfium()
    api.TextObj_GetFontSize(thing, api.four_floats[0])
    size = api.floats[0]
    _, _, c, d, _, _ = read_matrix(thing)
    return float(size * (c * c + d * d) ** 0.5)


def read_page_box(page: int) -> Box:
    """The visible area of the page in points; an unbounded box if the file does not declare it."""
    api = pdfium()
    if not api.GetPageBoundingBox(page, api.four_floats[0]):
        return -1e9, -1e9, 1e9, 1e9
    left, top, right, bottom = api.floats.tolist()
    return left, bottom, right, top
