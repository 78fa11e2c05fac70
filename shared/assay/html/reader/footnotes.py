"""Footnotes: the notes that the marks in the text lead to, wherever they are on the page."""

from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.navigation_marks import find_local_links, iter_note_targets
from assay.html.reader.text_blocks import BlockPage, Frame

MAX_NOTE_WORDS = 150  # words; a longer target is a section of the page
MAX_NOTES_SHARE = 0.1  # of the words that are kept; more is a list of references


def find_notes(page: BlockPage, chosen: set[int], tree: HtmlRoot, url: str) -> set[int]:
    """Return the places of the footnotes of the chosen text, where not chosen; none if they are a large part of it."""
    local = find_local_links(tree, url)
    if not local:
        return set()
    with_links = [block for place in chosen if (block := page.blocks[place]).links]
    wanted = {target for block in with_links for target in iter_note_targets(block.tokens, local)}
    if not wanted:
        return set()
    notes = {
        block.index: block.words
        for frame in _find_targets(page, tree, wanted)
        for block in page.blocks[frame.first : frame.last]
        if block.index not in chosen and block.words
    }
    is_list = sum(notes.values()) > MAX_NOTES_SHARE * sum(page.blocks[place].words for place in chosen)
    return set() if is_list else set(notes)


def _find_targets(page: BlockPage, tree: HtmlRoot, wanted: set[str]) -> list[Frame]:
    """Return the frames that have one of the ids, or hold an anchor with it."""
    frames = {id(frame.element): frame for frame in page.frames}
    found = []
    for element in tree.list_matching({"id": wanted, "name": wanted}):
        name = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if name is None or name not in wanted:
            continue
        holder: HtmlElement | None = element
        while holder is not None and id(holder) not in frames:
            holder = holder.getparent()
        if holder is not None and 0 < frames[id(holder)].words <= MAX_NOTE_WORDS:
            found.append(frames[id(holder)])
    return found
