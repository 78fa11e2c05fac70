"""Separates the list of references from the text of a manuscript."""

import re
from typing import NamedTuple

from assay.bibliography.plain_list import NUMBERED, split_references
from assay.manuscripts.manuscript_draft import DraftReference

HEADINGS = (
    r"references?(?:[ \t]+cited)?|reference[ \t]list|bibliography|works[ \t]cited|sources|literature(?:[ \t]cited)?|"
    r"literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références(?:[ \t]bibliographiques)?|bibliographie|"
    r"referencias(?:[ \t]bibliográficas)?|bibliografía|bibliografia|referências|riferimenti(?:[ \t]bibliografici)?|"
    r"literatuur(?:lijst)?|литература|список[ \t]литературы|参考文献|引用文献|参考資料|참고[ \t]?문헌"
)
HEADING = re.compile(
    rf"^[ \t>]{{0,6}}(?:#{{1,6}}[ \t]*)?(?:\*\*|__)?(?:\d{{1,2}}\.?[ \t]+)?(?:{HEADINGS})(?:\*\*|__)?[ \t]*:?[ \t]*"
    r"(?:\{[^{}\n]{0,60}\})?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
NEXT = re.compile(
    r"^(?:[ \t]{0,3}#{1,6}[ \t]+\S|\[\^[^\]\s]{1,100}\]:|[ \t]{0,3}(?:\*\*)?(?:appendix|appendices|acknowledge?ments?|"
    r"supplementary|supporting[ \t]information|figures?|tables?|notes|footnotes|anhang|annexes?|anexos?|"
    r"about[ \t]the[ \t]authors?)(?:\*\*)?\b.{0,60}$)",
    re.IGNORECASE | re.MULTILINE,
)
LABEL = re.compile(r"\s*(?:[-*•]\s+)?[\[(]?\s*(\d{1,4})\s*[\]).]")


class SplitText(NamedTuple):
    """The text before the list, that behind it, and the entries of the list."""

    before: str
    after: str
    references: list[DraftReference]


def split_reference_section(text: str) -> SplitText:
    """Split a text at the last heading of references. Without one, all of it stands before the list."""
    heading = next(reversed(list(HEADING.finditer(text))), None)
    if heading is None:
        return SplitText(text, "", [])
    following = NEXT.search(text, heading.end())
    end = following.start() if following else len(text)
    section = text[heading.end() : end]
    lines = section.split("\n")
    references = []
    for line, passage in split_references(section):
        label = LABEL.match(lines[line - 1]) if NUMBERED.match(lines[line - 1]) else None
        references.append(DraftReference(label[1] if label else "", passage))
    return SplitText(text[: heading.start()], text[end:], references)
