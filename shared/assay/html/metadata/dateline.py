"""Publication and modification dates, from the visible text around a page's heading."""

import re
from typing import NamedTuple

from assay.html.metadata.neighbouring_text import Piece
from assay.text import stated_dates

MAX_LABEL = 40  # characters, below which a piece may be the label of the next one
MIN_LIST_DATES = 8  # number of different dates from which the pieces are a list of dated items
OTHER_DATE_LABEL = re.compile(
    r"last (?:post|reply|activity|visit|seen|active)|latest|join|member since|regist|born|est\.|copyright|©"
    r"|expires|deadline|\b(?:inserted|substituted|repealed|omitted|in force)\b"  # of laws
    r"|(?:^|\W)(?:ends?|until|through|valid|before|checked|starts?|due)\W"
    rf"|(?:^|\W)by\s+(?:[a-z]+day,?\s+)?(?:\d|(?:{stated_dates.PREFIXES})[a-z]*\.?\s+\d)",  # not before a name
    re.IGNORECASE,
)
UPDATE_LABEL = re.compile(r"updat|modifi|revis|edited|reviewed|aktualisiert|mis à jour|actualizad|更新", re.IGNORECASE)


class PageDates(NamedTuple):
    published: str
    modified: str


def find_dates(pieces: list[Piece], american: bool, forum: bool = False) -> PageDates:
    """Return the first date in the pieces and the first one labelled as an update; none if they look like a list of
    dates.
    """
    days: list[str] = []
    updates: list[str] = []
    before = ""  # the text of the piece before, if that has no date
    for piece in pieces:
        date = find_piece_date(piece, american)
        if not date:
            before = piece.text
            continue
        label, before = before if len(before) < MAX_LABEL else "", ""
        if not OTHER_DATE_LABEL.search(f"{label} {piece.text}"):
            update_label = UPDATE_LABEL.search(piece.text)
            if update_label and (
                earlier_date := stated_dates.find_written_date(piece.text[: update_label.start()], american)
            ):
                days.append(earlier_date)
                date = stated_dates.find_written_date(piece.text[update_label.start() :], american) or date
            (updates if update_label or UPDATE_LABEL.search(label) else days).append(date)
    if not forum and len({*days, *updates}) >= MIN_LIST_DATES:
        return PageDates("", "")
    return PageDates(next(iter(days), ""), next(iter(updates), ""))


def find_piece_date(piece: Piece, american: bool) -> str:
    """Return the date of a piece, from its `datetime` attribute or its short text, as ISO 8601; "" if there is none."""
    element, text = piece
    if (
        element.tag == "time"
        and (stated := element.get("datetime"))
        and (date := stated_dates.parse_stated_date(stated))
    ):
        return date
    return stated_dates.find_written_date(text, american) if len(text) <= 80 else ""
