"""Formulas in PDFs: joins the pieces of a line with raised and lowered signs, and those of a displayed formula.

PDFium gives each piece that is not on the baseline as a line of its own. Files have the pieces in the order in which a
formula is read: an operator, its limits, what it applies to; a numerator before its denominator.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from assay.documents.pdf_lines import LEVEL, MATH_LETTERS, SMALLER
from assay.documents.pdf_paragraphs import FORMULA_NUMBER
from assay.documents.pdf_text_page import PdfLine

OVERLAP, ADJACENT = 0.15, 0.6  # how far a piece of a line may reach into the one before, or be from it, in text sizes
SPACE = 0.15  # minimum gap of a space
SHIFT = 0.8  # maximum distance of a raised or lowered sign from the baseline
REACH = 2.5  # vertical distance of two pieces of a formula that follow each other
ASIDE, BACK = 4.0, 15.0  # how far a piece of a formula may be to the right of those before it, and from its left end
LONGEST_LINE, MOST_PIECES = 1_000, 100  # letters of a line and pieces of a formula to which others are joined
ROWS = 3  # of cells beside each other, which are a table or a matrix
SIGN = re.compile("[=<>≤≥≪≫≠≈≃≅≡∼∝∈∉⊂⊆⊃⊇→⇒⇔↔↦+−±×·∑∏∫√∂∇∞∀∃∪∩∧∨⊗⊕|\u0338]")
WORD = re.compile(r"[^\W\d_\u02b0-\u03ff\U0001d400-\U0001d7ff]{3,}|[\u0370-\u03ff]{4,}")
COMMON = re.compile(r"\b(?:all|and|any|are|for|from|has|let|that|the|then|this|where|which|with)\b", re.IGNORECASE)
FUNCTIONS = frozenset(
    [
        *("arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "diag", "dim", "div"),
        *("erf", "exp", "gcd", "grad", "hom", "inf", "ker", "lim", "log", "max", "min", "mod", "otherwise", "prob"),
        *("rank", "rot", "sec", "sgn", "sign", "sin", "sinh", "span", "sup", "tan", "tanh", "var", "vol"),
    ]
)


type MarkRaised = Callable[[str, str], str]  # what to write for a raised text behind another one


def join_formulas(lines: list[PdfLine], mark_raised: MarkRaised) -> list[PdfLine]:
    """Return the lines, in the order of the file, with the pieces of lines and of displayed formulas joined."""
    return [line for part in _list_formulas(_join_pieces(lines, mark_raised), mark_raised) for line in part]


def _join_pieces(lines: list[PdfLine], mark_raised: MarkRaised) -> list[PdfLine]:
    """Join the pieces that are beside each other with the raised and lowered signs between them."""
    found: list[PdfLine] = []
    before: PdfLine | None = None  # the last piece of the last line found
    for line in lines:
        if before is not None and _continues_line(found[-1], before, line):
            found[-1] = _join(found[-1], before, line, mark_raised)
        else:
            found.append(line)
        before = line
    return found


def _continues_line(whole: PdfLine, before: PdfLine, line: PdfLine) -> bool:
    if len(whole.text) > LONGEST_LINE:
        return False
    size = max(whole.size, line.size)
    shift = max(abs(line.bottom - whole.bottom), abs(before.bottom - whole.bottom))
    if not LEVEL * size < shift < SHIFT * size or min(before.size, line.size) > SMALLER * size:
        return False
    gap = line.left - before.right
    if not -ADJACENT * size <= gap <= ADJACENT * size:  # a raised sign may be above a lowered one
        is_stacked = before.size <= SMALLER * size and before is not whole
        if not is_stacked or not -OVERLAP * size <= line.left - before.left <= ADJACENT * size:
            return False
    return _is_plain(whole) and _is_plain(line)


def _is_plain(line: PdfLine) -> bool:
    return not (line.table or line.cells or line.is_tilted or line.hyphen)


def _join(whole: PdfLine, before: PdfLine, line: PdfLine, mark_raised: MarkRaised) -> PdfLine:
    """Join a piece to those of its line or formula, of which `before` is the last one."""
    size = max(whole.size, line.size)
    gap = line.left - before.right
    is_small = line.size <= SMALLER * before.size and not _has_word(line.text)
    is_raised = is_small and line.bottom > before.bottom + LEVEL * before.size
    text = mark_raised(whole.text, line.text) if is_raised else line.text
    is_apart = not -SPACE * size < gap < SPACE * size or (before.size <= SMALLER * line.size and before is whole)
    main = max(whole, line, key=lambda piece: (_has_word(piece.text), piece.size))
    return whole._replace(
        text=f"{whole.text}{' ' if is_apart else ''}{text}",
        left=min(whole.left, line.left),
        right=max(whole.right, line.right),
        bottom=main.bottom,
        size=main.size,
        hyphen=line.hyphen,
        is_bold=whole.is_bold and line.is_bold,
        is_fixed=whole.is_fixed and line.is_fixed,
    )


def _list_formulas(lines: list[PdfLine], mark_raised: MarkRaised) -> Iterator[list[PdfLine]]:
    """The lines, of which those of one formula are one."""
    pieces: list[PdfLine] = []
    for line in lines:
        may_be = _is_plain(line) and not line.is_fixed and _may_be_formula(line)
        if pieces and not (may_be and _is_near(pieces, line)):
            yield _join_formula(pieces, mark_raised)
            pieces = []
        if not may_be:
            yield [line]
            continue
        pieces.append(line)
        if len(pieces) > 1 and FORMULA_NUMBER.fullmatch(line.text) and line.left > pieces[-2].right:
            yield _join_formula(pieces, mark_raised)
            pieces = []
    yield _join_formula(pieces, mark_raised)


def _may_be_formula(line: PdfLine) -> bool:
    """Whether the text has no word, except names of functions, or is in a font of formulas and short."""
    text = line.text
    return not _has_word(text) or (line.is_math and len(text) <= MATH_LETTERS and COMMON.search(text) is None)


def _has_word(text: str) -> bool:
    return any(word[0] not in FUNCTIONS for word in WORD.finditer(text))


def _is_near(pieces: list[PdfLine], line: PdfLine) -> bool:
    last = pieces[-2:]  # the upper limit of a sign may be behind it, before the lower one
    size = max(line.size, *(piece.size for piece in last))
    if len(pieces) == MOST_PIECES or min(abs(line.bottom - piece.bottom) for piece in last) > REACH * size:
        return False
    left, right = min(piece.left for piece in pieces[-8:]), max(piece.right for piece in pieces[-8:])
    return max(left, right - BACK * size) - size <= line.left and (
        line.left <= right + ASIDE * size or FORMULA_NUMBER.fullmatch(line.text) is not None
    )


def _join_formula(pieces: list[PdfLine], mark_raised: MarkRaised) -> list[PdfLine]:
    """The pieces as one line if they are those of a formula."""
    if not _is_formula(pieces):
        return pieces
    whole, before = pieces[0], pieces[0]
    for piece in pieces[1:]:
        whole = _join(whole, before, piece, mark_raised)
        before = piece
    usual: Counter[tuple[float, float]] = Counter()
    for piece in pieces:
        usual[piece.size, piece.bottom] += len(piece.text) if piece.size > SMALLER * whole.size else 0
    size, bottom = usual.most_common(1)[0][0]
    return [whole._replace(size=size, bottom=bottom, is_formula=True)]


def _is_formula(pieces: list[PdfLine]) -> bool:
    """Whether pieces are above, below and beside each other, or before their number, with a sign of a formula."""
    if len(pieces) < 2 or not any(SIGN.search(piece.text) for piece in pieces):
        return False
    if len(pieces) == 2:
        return FORMULA_NUMBER.fullmatch(pieces[1].text) is not None
    size = max(piece.size for piece in pieces)
    rows = Counter(round(piece.bottom) for piece in pieces if piece.size > SMALLER * size)
    return sum(count > 1 for count in rows.values()) < ROWS and any(
        LEVEL * size < abs(one.bottom - two.bottom) < SHIFT * size or min(one.size, two.size) <= SMALLER * size
        for one, two in pairwise(pieces)
    )
