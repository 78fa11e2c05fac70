"""Control words of RTF (RTF Specification 1.9.1), what the parser does with them, and the state that they change."""

import re
from dataclasses import dataclass

from assay.documents.rtf_styles import UNSTYLED, RtfStyle

TOKEN = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
SKIPPED = frozenset((
    *("fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "pict", "object", "objdata"),
    *("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "themedata", "datastore"),
    *("bkmkstart", "bkmkend", "atnid", "xe", "tc", "rsidtbl", "generator"),
    *("revtbl", "filetbl", "latentstyles", "nonshppict", "template", "colorschememapping", "private", "info"),
    "shprslt",  # a copy of a shape for old programs
))  # fmt: skip
CAPTURED = {
    "title": "title", "author": "author", "fldinst": "field", "listtext": "label", "pntext": "label",
    "fonttbl": "font", "stylesheet": "style", "sn": "shape property", "sv": "shape value",
    "atnauthor": "comment author", "atnref": "comment name", "atrfstart": "comment start", "atrfend": "comment end",
}  # fmt: skip
STARRED = frozenset((  # words that are read behind an asterisk
    *("title", "author", "footnote", "fldrslt", "cs", "shpinst", "do", "shppict"),
    *("annotation", "atnauthor", "atnref", "atrfstart", "atrfend"),
))  # fmt: skip
SHAPES, BOXES = frozenset(("shpinst", "do")), frozenset(("shptxt", "dptxbxtext"))  # their text, in text boxes
ENDS = frozenset(("par", "sect", "page", "cell", "row"))
STRUCTURE = ENDS | SHAPES | BOXES | {"footnote", "annotation", "fldrslt", "s", "cs", "outlinelevel", "pard"}
CODE_PAGES = {"ansi": "cp1252", "mac": "mac-roman", "pc": "cp437", "pca": "cp850"}
INNER_BAR = " | "  # behind each cell of a table in a cell
TEXT_WORDS = {
    "line": "\n", "tab": " ", "nestcell": INNER_BAR, "nestrow": "\n", "emdash": "—", "endash": "–",
    "emspace": " ", "enspace": " ", "qmspace": " ",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
SYMBOLS = {b"~": "\xa0", b"_": "\u2011", b"-": "", b"{": "{", b"}": "}", b"\\": "\\"}
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
PROPERTIES = ("title", "author")
SWITCHES = {
    "v": "hidden", "deleted": "deleted", "b": "bold", "i": "italic", "super": "raised", "up": "raised",
    "intbl": "in_table", "trowd": "in_table",
}  # fmt: skip
VALUES = {
    "cf": "colour",
    "f": "font",
    "uc": "bytes_after",
    "ilvl": "depth",
    "cbpat": "paragraph_ground",
} | dict.fromkeys(("cb", "highlight", "chcbpat"), "ground")
ROW_WORDS = frozenset(("trowd", "trleft", "cellx", "clcbpat"))
LOWERED = frozenset(("nosupersub", "sub", "dn"))  # end raised text
DEPTH = 1_000  # maximum nesting of groups
WHITE = 244  # minimum of each channel (0 to 255) of text that counts as white


@dataclass(frozen=True)
class RtfState:
    """Character properties and destination, which end with their group."""

    skips: bool = False
    hidden: bool = False
    deleted: bool = False
    colour: int = 0
    ground: int = 0
    paragraph_ground: int = 0
    in_box: bool = False
    on_fill: bool = False  # whether white text shows in the text box
    font: int = 0
    tiny: bool = False
    bold: bool = False
    italic: bool = False
    raised: bool = False
    in_table: bool = False
    in_shape: bool = False  # where text boxes may follow
    style: RtfStyle = UNSTYLED  # of the paragraph
    in_picture: bool = False
    heading: int = 0  # by the outline level of the paragraph itself
    depth: int = 0
    note: int = 0  # the number of the note that the text belongs to; 0 for none, below 0 for a comment
    fact: str = ""  # what the text is other than text of the document: its title, the code of a field, …
    bytes_after: int = 1  # fallback bytes after each Unicode character (`\\uc`)
