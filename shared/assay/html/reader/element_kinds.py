"""What the walk over a page does with each element, by its tag."""

from assay.html.reader.embedded_media import EMBEDDING_TAGS
from assay.html.reader.text_blocks import CELLS, HEADINGS, ITEMS
from assay.text.word_lists import parse_words

SKIPPED_TAGS = parse_words(
    "script style noscript template svg head link meta select option optgroup datalist input textarea object canvas "
    "area frame frameset noframes noembed title param base dialog basefont annotation annotation-xml progress meter br "
    "source track embed wbr keygen bgsound ix:header"
)
READ_TAGS = parse_words(
    "noscript dialog template script input svg"
)  # of the skipped ones, those that are read at times
BLOCK_TAGS = parse_words(
    "html body address article aside blockquote button caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu nav ol p plaintext pre search "
    "section summary table tbody td tfoot th thead tr ul xmp"
)
MARK_BY_TAG = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code"}
MARK_BY_TAG |= {"tt": "code", "del": "del", "s": "del", "strike": "del", "sup": "sup", "sub": "sub", "a": "a"}
INLINE_TAGS = parse_words(
    "abbr acronym bdi bdo big cite data dfn font ins label mark nobr output q rb ruby rt rtc small span time u var "
    "map picture slot math "
    # Facts in filings (Inline XBRL 1.1), and names that a word processor found.
    "ix:nonfraction ix:nonnumeric ix:fraction ix:numerator ix:denominator ix:exclude ix:footnote "
    "st1:place st1:city st1:state st1:country-region st1:placename st1:placetype st1:personname st1:date st1:time"
) | frozenset(MARK_BY_TAG)
# Between two of these without space a style sheet may leave room: cards, tags and prices.
SEPARABLE_TAGS = parse_words("span a b strong i em time label small cite data del ins s strike")
STYLED_TAGS = frozenset(("span", "font", "b"))  # in which editors of documents write emphasis as a style
SPECIAL_TAGS = frozenset(("math", "rt"))  # which are replaced by what they stand for
PREFORMATTED_TAGS = frozenset(("pre", "listing", "xmp", "plaintext"))
CODE_CONTAINER_TAGS = frozenset(("table", "div"))  # which hold code by their class
POSITIONED_TAGS = ITEMS | CELLS | frozenset(("table", *HEADINGS))
KIND_BY_TAG = (
    dict.fromkeys(SKIPPED_TAGS, "skip") | dict.fromkeys(BLOCK_TAGS, "block") | dict.fromkeys(INLINE_TAGS, "inline")
)
KIND_BY_TAG |= dict.fromkeys(EMBEDDING_TAGS | {"img", "amp-img", "hr"}, "alone") | {"rp": "hollow"}
CUSTOM_KIND = "custom"  # of other tags

# The classes of an element, as `classify_names` tells them apart.
SPECIAL_CLASS, CODE_CLASS = 1, 2

# The same for the extension module: the kind in the lowest bits, and a bit for each set of tags.
_KINDS = ("skip", "block", "inline", "alone", "hollow")
_SETS: tuple[frozenset[str], ...] = (
    READ_TAGS, frozenset(("br",)), STYLED_TAGS, frozenset(("span",)), SPECIAL_TAGS, frozenset(("q",)),
    frozenset(("p",)), PREFORMATTED_TAGS, CODE_CONTAINER_TAGS, ITEMS, POSITIONED_TAGS - ITEMS,
    SEPARABLE_TAGS, frozenset(("cite",)), frozenset(("button",)),
)  # fmt: skip
TRAITS_BY_TAG = {
    tag: _KINDS.index(kind) + 1
    + sum(8 << place for place, tags in enumerate(_SETS) if tag in tags)
    for tag, kind in KIND_BY_TAG.items()
}  # fmt: skip
