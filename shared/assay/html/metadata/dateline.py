"""When a page was published, as it tells its readers: dates in the pieces around its heading."""

import re
from typing import NamedTuple

from assay.html.metadata.neighbouring_text import Piece
from assay.text import stated_dates

LISTING = 8  # so many different dates are those of a list
NOT_OF_THE_PAGE = re.compile(
    r"last (?:post|reply|activity|visit|seen|active)|latest|join|member since|regist|born|est\.|copyright|©"
    r"|expires|deadline|(?:^|\W)(?:ends?|until|through|valid|by|before|checked|starts?|due)\W",
    re.IGNORECASE,
)
UPDATED = re.compile(r"updat|modifi|revis|edited|reviewed|aktualisiert|mis à jour|actualizad|更新", re.IGNORECASE)


class Dated(NamedTuple):
    published: str
    modified: str


def find_dates(pieces: list[Piece], american: bool, forum: bool = False) -> Dated:
    """The first date among these pieces, and the first that is called an update; none where it is a list of dates."""
    days: list[str] = []
    updates: list[str] = []
    label = ""
    for piece in pieces:
        when = day(piece, american)
        if when and not NOT_OF_THE_PAGE.search(f"{label} {piece.text}"):
            changed = UPDATED.search(piece.text)
            if changed and (first := stated_dates.find_written_date(piece.text[: changed.start()], american)):
                days.append(first)
                when = stated_dates.find_written_date(piece.text[changed.start() :], american) or when
            (updates if changed or UPDATED.search(label) else days).append(when)
        label = piece.text if len(piece.text) < 40 and not when else ""
    if not forum and len({*days, *updates}) >= LISTING:
        return Dated("", "")
    return Dated(next(iter(days), ""), next(iter(updates), ""))


def day(piece: Piece, american: bool) -> str:
    """The date a piece states, for machines or in its own few words."""
    stated = piece.element.get("datetime") if piece.element.tag == "time" else None
    if stated and (when := stated_dates.parse_stated_date(stated)):
        return when
    return stated_dates.find_written_date(piece.text, american) if len(piece.text) <= 80 else ""
