"""Removal of what slides repeat beside their content: titles, sections and authors in small letters."""

from collections import Counter

from assay.documents.pdf_text_page import Page, PdfLine

MIN_PAGES, SHARE = 4, 0.6  # minimum number of pages with the same line at the same place, and their share
SMALL = 0.85  # maximum size of such a line relative to the text
STEP = 2.0  # points within which places are the same

type Place = tuple[str, int, int]


def drop_navigation(pages: list[Page]) -> list[Page]:
    """Return the pages, if they are slides, with what they repeat on the first one that has it."""
    if len(pages) < MIN_PAGES or not all(box[2] - box[0] > box[3] - box[1] for box, _ in pages):
        return pages
    counts = Counter(place for _, lines in pages for place in {_find_place(line) for line in lines if not line.cells})
    least = max(MIN_PAGES, SHARE * len(pages))
    repeated = {place for place, count in counts.items() if count >= least}
    sizes = Counter[float]()
    for _, lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text) * (_find_place(line) not in repeated)
    largest = SMALL * max(sizes, key=sizes.__getitem__, default=0.0)
    seen: set[Place] = set()
    found: list[Page] = []
    for box, lines in pages:
        places = {
            id(line): place for line in lines if line.size <= largest and (place := _find_place(line)) in repeated
        }
        found.append((box, [line for line in lines if places.get(id(line)) not in seen]))
        seen.update(places.values())
    return found


def _find_place(line: PdfLine) -> Place:
    return line.text, round(line.left / STEP), round(line.bottom / STEP)
