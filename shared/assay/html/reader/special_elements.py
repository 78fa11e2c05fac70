"""Elements that the DOM walk replaces or drops by their class: line numbers, icons, links to edit, hidden texts."""

import re
from itertools import islice

from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.code_blocks import CODE, CODE_CONTAINER, find_line_sign, keeps_lines
from assay.html.reader.div_tables import ROW, TABLE, TABLE_NAMES
from assay.html.reader.element_kinds import CODE_CLASS, INLINE_TAGS, SPECIAL_CLASS
from assay.html.reader.element_roles import POST_CLASSES, QUOTE_CLASS
from assay.html.reader.embedded_media import CARD_ADDRESSES, read_card, read_embedded
from assay.html.reader.formula_elements import HOLDS_MATH, RENDERED_MATH, FormulaElements
from assay.html.reader.html_tables import find_cell
from assay.html.reader.latexml_elements import LATEXML_NAMES
from assay.html.reader.page_images import read_emoji, read_image
from assay.html.reader.protected_addresses import PROTECTED_CLASS, decode_address
from assay.html.reader.style_marks import find_style_mark
from assay.html.reader.text_blocks import Mark
from assay.text.word_lists import parse_words

NOT_WORD = re.compile(r"\W+")
MAX_CODE_LINES = 20_000  # lines of code checked
# Texts and characters up to which a control is recognised.
MAX_CONTROL_TEXTS, MAX_CONTROL_CHARACTERS = 200, 80
ICONS = re.compile(r"\b(?:material-icons|material-symbols|notranslate-icon)")
LINE_NUMBER_CLASS = re.compile(
    r"(?:^|\s)(?:gutter|linenos?|lineno|linenumbers?|(?:[\w-]+-)?line-?numbers?(?:-rows)?|blob-num|ln-num|lnt?|hljs-ln-numbers|rouge-gutter)(?:\s|$)"
)
BRACKETED = re.compile(r"[(（〔［\[【《].*[)）〕］\]】》]", re.DOTALL)
MAX_RUBY_DEPTH, MAX_RUBY_PARTS = 5, 20  # elements around an annotation that are checked, and those in it
PLAIN_TAGS = parse_words("b bdi big font i small span")  # in an annotation of which only the text is kept
NUMBERS = re.compile(r"[\d\s.:#L]*+")
# Edit links and footnote back links of MediaWiki, links to the source in Sphinx, switches of quotations in XenForo,
# the numbers of printed pages within a text, the signs of boxes in Ghost.
CONTROLS = parse_words(
    "mw-editsection mw-cite-backlink viewcode-link viewcode-back bbCodeBlock-expandLink bbCodeBlock-shrinkLink "
    "quoteExpand ltx_note_mark ltx_tag_note ltx_listing_data "
    "unprinted-element printed-page-inline pagenum ws-pagenum kg-callout-emoji"
)
# Texts for screen readers, and those of them that say how a link opens.
FOR_SCREEN_READERS = parse_words(
    "sr-only screen-reader-text visually-hidden visuallyhidden u-visually-hidden a-offscreen usa-sr-only is-sr-only "
    "govuk-visually-hidden nhsuk-u-visually-hidden cds--visually-hidden bx--visually-hidden cdk-visually-hidden "
    "is-visually-hidden hidden-visually show-for-sr element-invisible slds-assistive-text"
)
NEW_WINDOW = re.compile(
    r"\W*(?:(?:link )?open(?:s|ing)? (?:in )?(?:an? )?(?:new|external) (?:window|tab|site|website)"
    r"|external link icon)\W*",
    re.IGNORECASE,
)
BOXES = frozenset("▢☐")  # beside which style sheets draw one
# The same for controls that sort a table, in the heads of its columns.
SORTING = re.compile(
    r"\W*(?:(?:click|press|activate|select) to )?(?:sort(?:ed|able)?|not sorted|unsorted)(?:\W.{0,60})?", re.IGNORECASE
)
# The kind of a term, before which style sheets write a colon.
KIND_OF_TERM = "classifier"
STRONG = (("open", "strong"), ("close", "strong"))
BOX_OF_NOTE, CELL_OF_ICON = "admonitionblock", "icon"  # of Asciidoctor
ICONS_OF_NOTES = parse_words("icon-note icon-tip icon-important icon-warning icon-caution")  # of Asciidoctor
LABEL = "descriptor"  # of a part of an abstract at arXiv, behind which a style sheet leaves a space
KIND_OF_PARAMETER = "signature-attributes"  # that JSDoc writes directly behind its name, in small letters
# Parts that their programs hide on screens: pages for printers, tooltips of Doxygen, settings of Edge Delivery, and the
# age that Invision has beside a date for narrow ones.
UNSEEN = parse_words("onlyprint print-only visible-print-block ttc section-metadata ipsTime__short")
SIGNATURE = "memname"  # of Doxygen
MAX_SIGNATURE_TEXTS = 2000
CODE_OF_DOXYGEN = frozenset(("fragment", "line"))  # the classes of its boxes of code, and of the lines in them
# Lines of code that a style sheet shows as blocks.
CODE_LINES = frozenset(("line", "code-line", "highlight-line", "gatsby-highlight-code-line"))
FOLDED_LINES = "ec-section"  # of code, below a summary that counts them
SPECIAL_NAMES = CONTROLS | FOR_SCREEN_READERS | CODE_LINES | UNSEEN | CARD_ADDRESSES.keys() | LATEXML_NAMES
SPECIAL_NAMES |= TABLE_NAMES | POST_CLASSES | {SIGNATURE, KIND_OF_PARAMETER, PROTECTED_CLASS, QUOTE_CLASS}
SPECIAL_NAMES |= {KIND_OF_TERM, FOLDED_LINES, LABEL} | ICONS_OF_NOTES
# The classes that the patterns above may match. Each alternative begins with a letter, so that `re` skips to the first
# letters.
SPECIAL = re.compile(
    r"katex|math|stemblock|arithmatex|mjx|material-|notranslate-icon|gutter|line-?n|blob-num|ln-n|MathJax|hljs-ln|latex"
    r"|ltx_font_(?:bold|typewriter)|MJXc|language-|l(?<!\Sl)nt?(?!\S)|t(?<!\St)ex(?:2jax)?(?!\S)"
)


def classify_names(root: HtmlRoot) -> dict[str, int]:
    """Return what elements may be by their class attribute, where it says something: formulas, icons or line numbers;
    containers of code.
    """
    wanted = SPECIAL_NAMES | {TABLE} if ROW in root.class_names else SPECIAL_NAMES
    found = dict.fromkeys(root.find_classes(SPECIAL, wanted), SPECIAL_CLASS)
    if root.class_names.issuperset(CODE_OF_DOXYGEN):
        found["fragment"] = CODE_CLASS
    for names in root.find_classes(CODE_CONTAINER):
        found[names] = found.get(names, 0) | CODE_CLASS
    return found


def _says(element: HtmlElement, text: str) -> bool:
    """Return whether the element has the letters and digits of the text, or a part of them, as `49` of `$49.99`."""
    shown = "".join(NOT_WORD.sub("", piece) for piece in islice(element.itertext(), MAX_CONTROL_TEXTS)).casefold()
    return bool(shown) and (shown in (said := NOT_WORD.sub("", text).casefold()) or said in shown)


def _follows_line(element: HtmlElement, names: set[str]) -> bool:
    """Return whether the element before is a line of code too, with one of these classes."""
    before = element.getprevious()
    if not names or before is None or before.tag != element.tag or (before.tail and not before.tail.isspace()):
        return False
    return not names.isdisjoint((before.get("class") or "").split())


def _follows_colon(element: HtmlElement) -> bool:
    """Return whether a colon stands before the element, in the element before it."""
    before = element.previous
    return before is not None and (before.text or "").strip() == ":"


def _is_decoration(element: HtmlElement, name: str, names: set[str]) -> bool:
    """Return whether the element is a control, or the numbers of lines of code."""
    if not CONTROLS.isdisjoint(names):  # longer content is text that a reader sees
        return len("".join(islice(element.itertext(), MAX_CONTROL_TEXTS))) <= MAX_CONTROL_CHARACTERS
    return LINE_NUMBER_CLASS.search(name) is not None and all(
        NUMBERS.fullmatch(text) for text in islice(element.itertext(), MAX_CODE_LINES)
    )


class SpecialElements(FormulaElements):
    """Adds to the blocks what special elements stand for."""

    captioned: set[HtmlElement]  # the figures that have a caption

    def _find_style_mark(self, element: HtmlElement, tag: str) -> str | None:
        return find_style_mark(element, tag)

    def _image(self, element: HtmlElement) -> None:
        if self.preformatted is not None:
            return
        if sign := read_emoji(element):
            self._text(sign)
        elif (kind := element.get("alt")) and self._is_cell_of_icon():
            self._add_kind(kind)
        elif mark := read_image(element, self.frame, self.captioned):
            self.tokens.append(mark)

    def _embed(self, element: HtmlElement, tag: str) -> None:
        mark = read_embedded(element, tag) if self.is_shown and self.preformatted is None else None
        if mark is not None:
            self._add_embedded(mark)

    def _add_embedded(self, mark: Mark) -> None:
        self.may_have_image = True
        self.tokens.append(mark)

    def _replace_special(self, element: HtmlElement, tag: str) -> bool:
        """Handle elements whose content is replaced, such as formulas, or dropped, such as decoration of code."""
        if tag == "rt":
            return self._replace_annotation(element)
        name = element.get("class") or ""
        if tag == "code":
            return self._replace_code(element)
        if tag == "math" or HOLDS_MATH.search(name):
            return self._replace_formula(element, tag, name)
        if RENDERED_MATH.search(name) or ICONS.search(name):
            return True
        names = set(name.split())
        if not UNSEEN.isdisjoint(names) or ("ltx_" in name and self._replace_latexml(element, tag, names)):
            return True
        if self._replace_tex(element, tag, name) or self._replace_text(element, tag, names):
            return True
        if self.preformatted is not None:
            return self._read_code_line(element, tag, names) or _is_decoration(element, name, names)
        return self._replace_box(element, tag, names) or _is_decoration(element, name, names)

    def _replace_box(self, element: HtmlElement, tag: str, names: set[str]) -> bool:
        """Replace the table in which Doxygen writes a signature, or the card of an address."""
        if tag == "table" and SIGNATURE in names:
            self._add_signature(element)
            return True
        return self._replace_card(element, names)

    def _add_signature(self, table: HtmlElement) -> None:
        """Add the signature of a function, of which each parameter is in a row, as a line of code."""
        text = " ".join("".join(islice(table.itertext(), MAX_SIGNATURE_TEXTS)).split())
        self._flush()
        self.tokens.append(CODE[0])
        self._text(text.replace(" (", "(").replace("( ", "(").replace(" )", ")"))
        self.tokens.append(CODE[1])
        self._flush()

    def _replace_card(self, element: HtmlElement, names: set[str]) -> bool:
        """Replace the card that a forum makes of an address by the link."""
        card = read_card(element, names, self._shows)
        if card is not None:
            self._flush()
            self._add_embedded(card)
            self._flush()
        return card is not None

    def _replace_annotation(self, element: HtmlElement) -> bool:
        """Put brackets around a ruby annotation that stands above the words before it and has none."""
        if all(around.tag != "ruby" for around in islice(element.iterancestors(), MAX_RUBY_DEPTH)):
            return False
        beside = (element.previous, element.next)
        if any(other is not None and other.tag == "rp" and self._is_hollow(other) for other in beside):
            return False
        inner = list(islice(element.iter(), 1, MAX_RUBY_PARTS + 1))
        if len(inner) == MAX_RUBY_PARTS or not all(each.tag in PLAIN_TAGS and self._shows(each) for each in inner):
            return False
        text = "".join(element.itertext()).strip()
        if not text or BRACKETED.fullmatch(text):
            return False
        self._text(f"({text})")
        return True

    def _replace_text(self, element: HtmlElement, tag: str, names: set[str]) -> bool:
        """Replace what is written for screen readers or for a script."""
        if not FOR_SCREEN_READERS.isdisjoint(names) and element.first is None and tag in INLINE_TAGS and tag != "a":
            self._add_for_screen_readers(element)
            return True
        if PROTECTED_CLASS in names and (address := decode_address(element.get("data-cfemail") or "")):
            self._text(address)
            return True
        if KIND_OF_TERM in names and self.frame.tag == "dt" and not _follows_colon(element):
            self._text(" : ")
        if LABEL in names and element.first is None and (text := element.text or "").endswith(":"):
            self._text(f"{text} ")
            return True
        if (kind := element.get("title")) and self.frame.tag == "td" and not ICONS_OF_NOTES.isdisjoint(names):
            self._add_kind(kind)
            return True
        if KIND_OF_PARAMETER in names:
            self._text(" ")  # a style sheet sets it apart
        return False

    def _add_kind(self, kind: str) -> None:
        """Add the kind of a note, such as a warning, that a sign beside the note stands for."""
        self.tokens.append(STRONG[0])
        self._text(kind)
        self.tokens.append(STRONG[1])

    def _is_cell_of_icon(self) -> bool:
        """Return whether the text is in a cell with the sign of a note."""
        frame = self.frame
        is_named = frame.tag == "td" and frame.element.attributes.get("class") == CELL_OF_ICON
        return is_named and BOX_OF_NOTE in self.page.root.class_names

    def _read_code_line(self, element: HtmlElement, tag: str, names: set[str]) -> bool:
        """Begin a line of code; return whether its content was read, too."""
        if FOLDED_LINES in names and element.first is not None and element.first.tag == "summary":
            self.walk_siblings(element.first.next)
            return True
        if self.preformatted is not None and tag == self.preformatted.tag == "div" and "line" in names:
            self._line()  # the line ends of the page's source are between lines of Doxygen
            self._walk_inside(element)
            return True
        if _follows_line(element, names & CODE_LINES):
            self._line()
        if "line" in names and (sign := find_line_sign(names)):
            self.tokens.append(("sign", sign))
        return False

    def _replace_code(self, element: HtmlElement) -> bool:
        """Read code as the block that its style makes of it."""
        if self.preformatted is not None or not keeps_lines(element):
            return False
        self._flush()
        self.preformatted = self.frame
        self._walk_inside(element)
        self._flush()
        self.preformatted = None
        return True

    def _add_for_screen_readers(self, element: HtmlElement) -> None:
        """Add a text that is not seen, unless one that is says the same; space around it is left to style sheets."""
        text = element.text or ""
        beside = [element.previous, element.next]
        if element.parent is not None and element.next is None and not element.tail:
            beside.append(element.parent.next)  # "15 minutes" of which the number is in an element with the hidden word
        is_double = any(
            other is not None and other.get("aria-hidden") == "true" and _says(other, text) for other in beside
        )
        if (
            is_double
            or text.strip() in BOXES
            or NEW_WINDOW.fullmatch(text)
            or (self._is_in_head() and SORTING.fullmatch(text))
        ):
            self.page.dropped += 1
        elif text and self.preformatted is None:
            self._text(f" {text} ")

    def _is_in_head(self) -> bool:
        """Return whether the text is in the head of a table's column."""
        cell = find_cell(self.frame)
        return cell is not None and cell.tag == "th"
