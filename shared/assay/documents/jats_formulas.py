"""Formulas of JATS articles as HTML: TeX and MathML."""

import re
from collections.abc import Iterator
from html import escape

from assay.documents.jats_front import WriteInside
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, local_name, read_words

TEX = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
DELIMITERS = re.compile(r"\s*(?:\$\$?|\\[\[(])(.*?)(?:\$\$?|\\[\])])\s*", re.DOTALL)
MATHML_ATTRIBUTES = ("display", "mathvariant", "stretchy", "columnspan", "rowspan", "open", "close", "linethickness")


def write_formula(element: Element, write_inside: WriteInside) -> str:
    """Write the TeX of a formula or its MathML, with its number; another text if it has neither."""
    is_display = local_name(element) == "disp-formula"
    tex, math = next(element.iter("{*}tex-math"), None), next(element.iter("{*}math"), None)
    label = find_child(element, "label")
    number = "" if label is None else read_words(label).strip("()")
    if tex is not None and (source := _clean_tex("".join(tex.itertext()))):
        source += f" \\tag{{{number}}}" if number and "\\tag" not in source else ""
        formula, number = f'<math alttext="{escape(source)}"{' display="block"' * is_display}></math>', ""
    elif math is not None:
        formula = "".join(_iter_mathml(math, is_display=is_display))
    else:
        formula = write_inside(element)
    formula += f" ({escape(number)})" if number else ""
    return f"<p>{formula}</p>" if is_display else formula


def _clean_tex(text: str) -> str:
    """Return the formula without the document around it."""
    document = TEX.search(text)
    inside = document[1] if document else text
    delimited = DELIMITERS.fullmatch(inside)
    return " ".join((delimited[1] if delimited else inside).split())


def _iter_mathml(element: Element, *, is_display: bool) -> Iterator[str]:
    name = local_name(element)
    attributes = {key: value for key in MATHML_ATTRIBUTES if (value := element.get(key))}
    if name == "math" and is_display:
        attributes["display"] = "block"
    yield f"<{name}{''.join(f' {key}="{escape(value)}"' for key, value in attributes.items())}>"
    yield escape(element.text or "")
    for child in element:
        if local_name(child):
            yield from _iter_mathml(child, is_display=False)
        yield escape(child.tail or "")
    yield f"</{name}>"
