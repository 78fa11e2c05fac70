"""Who sent a message that an archive of mail shows, by the lines below its subject."""

import re

from assay.html.metadata.neighbouring_text import Piece
from assay.html.parser.html_element import HtmlElement

MAX_PIECES = 16  # below the subject in which the head of a message is looked for
MAX_CHARACTERS = 200  # of a piece that are read
MAX_PARTS = 3  # the label, a colon and the name
MIN_LABELS = 2  # beside that of the sender
SENDER = re.compile(r"From\s*(?::\s*|$)")
OTHER_LABEL = re.compile(r"(?:Date|Sent|Subject|To|Cc|Message-ID|In-Reply-To|List|Newsgroups)\s*(?::|$)", re.IGNORECASE)
ADDRESS = re.compile(r"\S+(?:@| at | \(at\) )\S+")
NAME_END = re.compile(r"\s*(?:[<(\[]|\S+@).*", re.DOTALL)


def find_sender(pieces: list[Piece]) -> str:
    """Return the name that stands behind "From" in the head of a message, or before the address below its subject; ""
    if there is none.
    """
    head = [Piece(piece.element, piece.text[:MAX_CHARACTERS]) for piece in pieces[:MAX_PIECES]]
    if len(head) > 1 and _is_address(head[1].element, head[1].text) and not ADDRESS.search(head[0].text):
        return head[0].text
    if sum(OTHER_LABEL.match(piece.text) is not None for piece in head) < MIN_LABELS:
        return ""
    for index, piece in enumerate(head):
        if label := SENDER.match(piece.text):
            texts = [piece.text[label.end() :], *(other.text for other in head[index + 1 : index + MAX_PARTS])]
            said = next((text for part in texts if (text := part.strip(" :\"'"))), "")
            return NAME_END.sub("", said).strip(" \"'")
    return ""


def _is_address(element: HtmlElement, text: str) -> bool:
    """Return whether a text is an address, with a link for an answer to it."""
    target = element.attributes.get("href") or ""
    return element.tag == "a" and target.startswith("mailto:") and ADDRESS.fullmatch(text.strip()) is not None
