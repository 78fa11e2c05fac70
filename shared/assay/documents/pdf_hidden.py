"""Text that a PDF's reader cannot see, taken out of the page before its text is read."""

from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.pdf_drawn import find_undrawn
from assay.documents.pdfium import pdfium

TEXT, PATH, IMAGE, FORM = 1, 2, 3, 5
STROKED, UNSEEN = 1, (3, 7)  # render modes: outlined; neither filled nor outlined
DEPTH = 8  # forms within forms
SMALLEST = 1.5  # points; legal small print is three times that
SEE_THROUGH, SOLID = 26, 128  # alpha of 255
NEAR = 12  # of 255 a channel: what no eye tells apart
SPECK = 16.0  # square points; a smaller area is no background
SCANNED = 0.6  # of the page an image must cover for unseen text to be its recognised text
STAMP = 0.1  # as much seen text as a library prints over a scan, in parts of the unseen

type Box = tuple[float, float, float, float]  # left, bottom, right, top
type Color = tuple[int, int, int, int]  # red, green, blue, alpha
type Matrix = tuple[float, float, float, float, float, float]

WHITE: Color = (255, 255, 255, 255)
BLACK: Color = (0, 0, 0, 255)


class PdfTextObject(NamedTuple):
    """One text object; `owner` is the form it stands in, 0 for the page itself."""

    thing: int
    owner: int
    box: Box
    order: int
    mode: int
    color: Color


class Ground(NamedTuple):
    """An area text may stand on; a picture has no one colour."""

    order: int
    box: Box
    color: Color | None


@dataclass
class Scene:
    """What a page paints, in the order it is painted."""

    page: int
    box: Box
    words: list[PdfTextObject] = field(default_factory=list)
    painted: list[tuple[int, int, int, Matrix | None]] = field(default_factory=list)  # order, kind, object, matrix


def sweep(page: int) -> tuple[list[Box], int]:
    """Remove a page's unseen text. The boxes of the seen text objects in their order, and how many were removed."""
    ask = pdfium()
    scene = Scene(page, page_box(page))
    get, kind_of, mode_of = ask.Page_GetObject, ask.PageObj_GetType, ask.TextObj_GetTextRenderMode
    bounds_of, color_of, words = ask.PageObj_GetBounds, ask.PageObj_GetFillColor, scene.words
    one, two, three, four = ask.four_floats
    red, green, blue, alpha = ask.four_ints
    floats, ints = ask.floats, ask.ints
    for index in range(ask.Page_CountObjects(page)):
        thing = get(page, index)
        kind = kind_of(thing)
        mode = mode_of(thing) if kind == TEXT else STROKED
        if mode == STROKED:
            _note(scene, thing, kind, 0, None)
            continue
        bounds_of(thing, one, two, three, four)  # what most pages are full of, without the price of three calls
        color = tuple(ints.tolist()) if color_of(thing, red, green, blue, alpha) else BLACK
        words.append(PdfTextObject(thing, 0, tuple(floats.tolist()), len(words) + len(scene.painted), mode, color))
    hidden = _find_hidden_words(scene)
    if not hidden:
        return [seen.box for seen in words], 0
    for unseen in hidden:
        _remove(page, unseen)
    gone = {unseen.order for unseen in hidden}
    return [seen.box for seen in words if seen.order not in gone], len(hidden)


def _note(scene: Scene, thing: int, kind: int, owner: int, matrix: Matrix | None, depth: int = 0) -> None:
    order = len(scene.words) + len(scene.painted)
    if kind == TEXT:
        ask = pdfium()
        mode = ask.TextObj_GetTextRenderMode(thing)
        one, two, three, four = ask.four_ints
        question = ask.PageObj_GetStrokeColor if mode == STROKED else ask.PageObj_GetFillColor
        color = tuple(ask.ints.tolist()) if question(thing, one, two, three, four) else BLACK
        scene.words.append(PdfTextObject(thing, owner, bounds(thing, matrix), order, mode, color))
    elif kind == FORM and depth < DEPTH:
        _note_form(scene, thing, matrix, depth)
    else:
        scene.painted.append((order, kind, thing, matrix))


def _note_form(scene: Scene, form: int, matrix: Matrix | None, depth: int) -> None:
    ask = pdfium()
    own = _matrix(form)
    inner = _after(matrix, own) if matrix else own
    for index in range(ask.FormObj_CountObjects(form)):
        thing = ask.FormObj_GetObject(form, index)
        _note(scene, thing, ask.PageObj_GetType(thing), form, inner, depth + 1)


def _remove(page: int, words: PdfTextObject) -> None:
    ask = pdfium()
    if words.owner:
        gone = ask.FormObj_RemoveObject(words.owner, words.thing)
    else:
        gone = ask.Page_RemoveObject(page, words.thing)
    if gone:
        ask.PageObj_Destroy(words.thing)


def _find_hidden_words(scene: Scene) -> list[PdfTextObject]:
    grounds = _grounds(scene)
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
            (risky[color] and _is_veiled(words, grounds))
            or box[2] < left
            or box[0] > right
            or box[3] < bottom
            or box[1] > top
            or _too_small(words)
        ):
            found.append(words)
    gone = {words.order for words in found} | {words.order for words in invisible}
    for words in find_undrawn(scene.page, [words for words in scene.words if words.order not in gone], grounds):
        (invisible if _is_under_picture(words, scene) else found).append(words)
    if invisible and not _is_recognised(scene, invisible, found):
        found += invisible
    return found


def _is_under_picture(words: PdfTextObject, scene: Scene) -> bool:
    """Whether a picture covers the words, as the scan of a page covers its recognised text."""
    x, y = (words.box[0] + words.box[2]) / 2, (words.box[1] + words.box[3]) / 2
    for order, kind, thing, matrix in scene.painted:
        if kind == IMAGE and order > words.order:
            left, bottom, right, top = bounds(thing, matrix)
            if left <= x <= right and bottom <= y <= top:
                return True
    return False


def _is_risky(color: Color, grounds: list[Ground]) -> bool:
    """Whether words of this colour may not show, which depends on where they stand."""
    return color[3] < SEE_THROUGH or _near(color, WHITE) or any(_near(color, ground.color) for ground in grounds)


def _is_veiled(words: PdfTextObject, grounds: list[Ground]) -> bool:
    return words.color[3] < SEE_THROUGH or _near(words.color, _ground(words, grounds))


def _near(color: Color, other: Color | None) -> bool:
    return other is not None and all(abs(one - two) <= NEAR for one, two in zip(color[:3], other, strict=False))


def _too_small(words: PdfTextObject) -> bool:
    left, bottom, right, top = words.box
    if top - bottom >= SMALLEST and right - left >= SMALLEST:
        return False
    return _area(words.box) > 0 and _font_size(words.thing) < SMALLEST


def _grounds(scene: Scene) -> list[Ground]:
    ask = pdfium()
    found = []
    for order, kind, thing, matrix in scene.painted:
        if kind == PATH:
            ask.Path_GetDrawMode(thing, *ask.four_ints[:2])
            if not ask.ints[0]:
                continue
        color = _color(thing) if kind == PATH else None
        box = bounds(thing, matrix)
        if _area(box) >= SPECK and (color is None or color[3] >= SOLID):
            found.append(Ground(order, box, color))
    return found


def _ground(words: PdfTextObject, grounds: list[Ground]) -> Color | None:
    """The colour under the middle of the words."""
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
    """Whether the invisible text is a scan's own: a picture fills the page, which has no other text to speak of."""
    known = {words.order for words in invisible} | {words.order for words in hidden}
    seen = sum(_letters(words.box) for words in scene.words if words.order not in known)
    if seen > STAMP * sum(_letters(words.box) for words in invisible):
        return False
    pictures = sum(_area(bounds(thing, matrix)) for _, kind, thing, matrix in scene.painted if kind == IMAGE)
    return pictures >= SCANNED * _area(scene.box)


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _letters(box: Box) -> float:
    """About how many letters of its own height fit."""
    return (box[2] - box[0]) / max(1.0, (box[3] - box[1]) * 0.6)


def bounds(thing: int, matrix: Matrix | None) -> Box:
    ask = pdfium()
    one, two, three, four = ask.four_floats
    ask.PageObj_GetBounds(thing, one, two, three, four)
    box: Box = tuple(ask.floats.tolist())
    return box if matrix is None else _transform_box(box, matrix)


def _transform_box(box: Box, matrix: Matrix) -> Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    points = [(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _color(thing: int) -> Color:
    """Opaque black where a pattern or nothing is set."""
    ask = pdfium()
    found: Color = tuple(ask.ints.tolist()) if ask.PageObj_GetFillColor(thing, *ask.four_ints) else BLACK
    return found


def _matrix(thing: int) -> Matrix:
    ask = pdfium()
    if not ask.PageObj_GetMatrix(thing, ask.six_place):
        return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    matrix: Matrix = tuple(ask.six.tolist())
    return matrix


def _after(outer: Matrix, inner: Matrix) -> Matrix:
    """First `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _font_size(thing: int) -> float:
    """As seen on the page: the nominal size, scaled."""
    ask = pdfium()
    ask.TextObj_GetFontSize(thing, ask.four_floats[0])
    size = ask.floats[0]
    _, _, c, d, _, _ = _matrix(thing)
    return float(size * (c * c + d * d) ** 0.5)


def page_box(page: int) -> Box:
    """What of the page is shown; everything where the file does not say."""
    ask = pdfium()
    if not ask.GetPageBoundingBox(page, ask.four_floats[0]):
        return -1e9, -1e9, 1e9, 1e9
    left, top, right, bottom = ask.floats.tolist()
    return left, bottom, right, top
