"""Links around several blocks, such as the card of a product: one of the blocks has the link."""

from assay.html.reader.text_blocks import Mark, TextBlock, Token


def find_repeated_links(blocks: list[TextBlock]) -> dict[int, Mark]:
    """Return the marks of links that another block has: by the index of a block, the link around it.

    A link that several blocks begin with is that of the first heading in it, or else of the first words.
    """
    holders: dict[int, tuple[Mark, list[TextBlock]]] = {}  # by `id()` of the mark of a link
    for block in blocks:
        if block.links and not isinstance(block.tokens[0], str) and (mark := _find_link_around(block)):
            holders.setdefault(id(mark), (mark, []))[1].append(block)
    repeated: dict[int, Mark] = {}
    for mark, linked in holders.values():
        if len(linked) > 1:
            best = min(linked, key=lambda block: (not block.words, not block.frame.heading))
            repeated.update((block.index, mark) for block in linked if block is not best)
    return repeated


def _find_link_around(block: TextBlock) -> Mark | None:
    """Return the mark of the link that a block begins with."""
    for token in block.tokens:
        if isinstance(token, str) or token[0] != "open":
            break
        if token[1] == "a":
            return token
    return None


def without_link(tokens: list[Token], link: Mark) -> list[Token]:
    """Return the tokens without the mark of the link and the one that closes it."""
    start = next((place for place, token in enumerate(tokens) if token is link), len(tokens))
    end = next((place for place in range(start, len(tokens)) if tokens[place] == ("close", "a")), len(tokens))
    return tokens[:start] + tokens[start + 1 : end] + tokens[end + 1 :]
