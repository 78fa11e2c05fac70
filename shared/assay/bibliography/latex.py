"""Converts the LaTeX used in bibliographies to plain text and back; macros are never expanded."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatexenc.macrospec import LatexContextDb

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
SYMBOLS = {  # macros that pylatexenc does not know, or writes with a character that looks like the usual one
    "SS": "ẞ", "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "textquotedbl": '"', "textless": "<",
    "textgreater": ">", "textbar": "|", "S": "§", "P": "¶", "copyright": "©", "degree": "°", "pounds": "£", "euro": "€",
    "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "sqrt": "√", "textasciicircum": "^", "textperiodcentered": "·",
    "circ": "°", "epsilon": "ε", "phi": "φ", "today": "",
}  # fmt: skip
CATEGORIES = ["latex-base", "advanced-symbols"]  # of pylatexenc's macros; the others stand for text such as `<ref>`
TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)\*?[ \t\r\n]*|\\(?P<sign>[^A-Za-z])|(?P<run>``|''|---?|[{}$~])|(?P<text>[^\\{}$~`'-]+|.)",
    re.DOTALL,
)
RUNS = {"``": "“", "''": "”", "--": "–", "---": "—", "~": " ", "{": "", "}": "", "$": ""}
SPACES = {" ": " ", "\n": " ", "\t": " ", "\r": " ", ",": " ", ";": " ", ":": " ", "/": "", "-": "", "\\": " ", "@": ""}
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\lbrace{}", "}": r"\rbrace{}", "&": r"\&",
        "%": r"\%", "$": r"\$",
        "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    }
)  # fmt: skip
BALANCED = str.maketrans({"{": r"\{", "}": r"\}"})


def latex_to_text(text: str) -> str:
    """Convert LaTeX to plain text: `Jos{\\'e}` → `José`. Drops unknown commands, keeps their arguments. Linear time."""
    if not any(sign in text for sign in "\\{}$~`'-"):
        return text
    pieces: list[str] = []
    accents: list[str] = []  # accents that apply to the next letter
    formula = False
    for token in TOKEN.finditer(text):
        if token["run"] == "}":
            accents.clear()
        formula ^= token["run"] == "$"
        piece, accent = _convert_token(token)
        if accent:
            accents.append(accent)
            continue
        if formula:
            piece = piece.replace("_", "").replace("^", "")
        if piece and accents:
            piece = _apply_accents(piece, accents)
            accents.clear()
        pieces.append(piece)
    return "".join(pieces)


def _convert_token(token: re.Match[str]) -> tuple[str, str]:
    """Return the text of a token, and the accent that it puts on the next letter."""
    word, sign = token["word"], token["sign"]
    if word is not None:
        if word in ACCENTS:
            return "", ACCENTS[word]
        return _find_symbol(word), ""
    if sign is not None:
        return (SPACES.get(sign, sign), "") if sign not in ACCENTS else ("", ACCENTS[sign])
    return RUNS.get(token["run"], token["run"]) if token["run"] else token["text"], ""


@lru_cache(4_096)
def _find_symbol(macro: str) -> str:
    """Return the text of a macro without arguments, such as `ss` or `alpha`; "" if it has none."""
    if macro in SYMBOLS:
        return SYMBOLS[macro]
    spec = _load_macros().get_macro_spec(macro)
    text = spec.simplify_repl if spec else None
    return text if isinstance(text, str) and "%" not in text else ""  # with %, a pattern for arguments


@cache
def _load_macros() -> "LatexContextDb":
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db().filter_context(keep_categories=CATEGORIES)


def _apply_accents(piece: str, accents: list[str]) -> str:
    first = {"ı": "i", "ȷ": "j"}.get(piece[0], piece[0])
    if not first.isalpha():
        return piece
    return unicodedata.normalize("NFC", first + "".join(accents[:3])) + piece[1:]


def escape_latex(text: str) -> str:
    """Escape text for a BibTeX value in braces: the braces stay balanced and LaTeX prints the text unchanged."""
    return text.translate(ESCAPES | BALANCED if _is_balanced(text) else ESCAPES)


def _is_balanced(text: str) -> bool:
    """Return whether braces are balanced; BibTeX counts escaped braces too."""
    depth = 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0


def split_outside_braces(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Split the text where group 1 of the pattern matches outside braces. The pattern must also match braces."""
    depth, start, found = 0, 0, []
    for token in pattern.finditer(text):
        if token[1] is None:
            depth = max(0, depth + {"{": 1, "}": -1}.get(token[0], 0))
        elif depth == 0:
            found.append(text[start : token.start()])
            start = token.end()
    return [*found, text[start:]]
