"""Elements that the DOM walk replaces by formulas: MathML, drawings, pictures, and TeX between delimiters."""

import re
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.element_kinds import BLOCK_TAGS
from assay.html.reader.katex_drawings import read_katex
from assay.html.reader.latexml_elements import LatexmlElements
from assay.html.reader.math_formulas import (
    find_image_tex,
    find_tex,
    has_script,
    is_displayed,
    split_delimited,
)
from assay.html.reader.mathjax_drawings import read_mathjax
from assay.html.reader.mathml_tex import MAX_ELEMENTS, TexWriter

RENDERED_MATH = re.compile(
    r"(?:^|\s)(?:katex-html|MathJax(?:_Preview|_SVG|_CHTML|_Display|_SVG_Display)?|mjx-chtml|MJXc-display)(?:\s|$)"
)
HOLDS_MATH = re.compile(
    r"(?:^|\s)(?:katex|mwe-math-element|MathJax(?:_SVG|_CHTML|_Display|_SVG_Display)?|mjx-(?:container|chtml)"
    r"|MJXc-display)(?:\s|$)"
)
# Formulas between delimiters, and pictures of formulas whose alternative text is TeX.
DELIMITED_MATH = re.compile(
    r"(?:^|\s)(?:math|math-tex|ztext-math|arithmatex|latex|tex|tex2jax|mathjax|stemblock)(?:\s|$)", re.IGNORECASE
)
DRAWN_MATH = re.compile(r"(?:^|\s)(?:latex|tex|math|ql-img-\w+-formula|mwe-math-fallback-image-\w+)(?:\s|$)")
DRAWS_TEX = re.compile(r"[?&/](?:tex|latex)=|latex\.(?:php|codecogs)", re.IGNORECASE)  # in the address of a picture


class FormulaElements(LatexmlElements):
    """Adds to the blocks the formulas that elements stand for."""

    def _replace_formula(self, element: HtmlElement, tag: str, name: str) -> bool:
        if any(inner.tag in BLOCK_TAGS for inner in islice(element.iter(), MAX_ELEMENTS)):
            return bool(RENDERED_MATH.search(name))  # or else an unclosed formula that swallowed the following text
        tex = "" if has_script(element) else find_tex(element) or self._formula_text(element)
        if tex:
            self._mark(("math", tex, "display" if is_displayed(element, name) else ""))
        return bool(tex) or tag == "math" or bool(RENDERED_MATH.search(name))

    def _replace_image(self, image: HtmlElement) -> bool:
        """Replace a picture of a formula whose alternative text is TeX."""
        names, source = image.get("class"), image.get("src") or ""
        if not (names and DRAWN_MATH.search(names)) and not ("tex" in source.lower() and DRAWS_TEX.search(source)):
            return False
        tex = find_image_tex(image) if self.preformatted is None else ""
        if tex:
            self._mark(("math", tex, ""))
        return bool(tex)

    def _replace_tex(self, element: HtmlElement, tag: str, name: str) -> bool:
        """Replace an element whose text is TeX between delimiters by the formula."""
        if self.preformatted is not None:
            return False
        delimited = split_delimited(element) if DELIMITED_MATH.search(name) else None
        if delimited is None:
            return False
        if tag in BLOCK_TAGS and self.tokens:
            self._flush()
        self._mark(("math", delimited[0], "display" if delimited[1] else ""))
        if tag in BLOCK_TAGS:
            self._flush()
        return True

    def _formula_text(self, element: HtmlElement) -> str:
        """Return the visible part of a formula as TeX, from MathML, maybe for screen readers, or from a drawing."""
        math = element if element.tag == "math" else next(element.iter("math"), None)
        tex = read_mathjax(element) or read_katex(element) if math is None else TexWriter(self._shows).write(math)
        return " ".join(tex.split())
