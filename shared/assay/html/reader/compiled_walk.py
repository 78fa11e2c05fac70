"""The loop of the walk, from the extension module where that is built."""

from assay.html.reader.element_kinds import MARK_BY_TAG, TRAITS_BY_TAG
from assay.html.reader.text_blocks import BREAK, Frame, TextBlock
from assay.text.unspaced_words import count_words

try:
    from assay.html.reader._block_walk import BlockWalk, configure
except ImportError:
    from assay.html.reader.block_walk import BlockWalk  # noqa: F401 -- for `SpecialElements`
else:
    configure(Frame, TextBlock, BREAK, TRAITS_BY_TAG, MARK_BY_TAG, count_words)
