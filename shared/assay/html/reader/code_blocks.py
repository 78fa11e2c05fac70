"""Blocks of code on a page: their containers, line numbers and language, and the fenced block they become."""

import re
from collections.abc import Container
from itertools import islice, takewhile

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.page_breaks import without_page_lines
from assay.html.reader.text_blocks import BREAK, Frame, TextBlock, Token
from assay.text.code_fence import choose_fence
from assay.text.sanitize import sanitise
from assay.text.word_lists import parse_words

CODE: tuple[Token, Token] = (("open", "code"), ("close", "code"))
SPACES = re.compile(r"[ \t\r\n\f]+")  # which are one space outside of preformatted text
SPACE_AT_START = re.compile(r"^ ", re.MULTILINE)
LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|gatsby-code-|mw-highlight-lang-|highlight-source-|highlight-|hl-|ltx_lst_language_|brush:\s*|sourceCode\s+|hljs\s+(?:language-)?|prettyprint\s+lang-|"
    r"syntaxhighlighter\s+)([\w+#.-]+)"
)
LANGUAGE_OF_PRE = re.compile(r"code\s+(?:file\s+)?([\w+#]+)(?!\S)")  # as wikis and reStructuredText write it
NO_LANGUAGE = parse_words(
    "none text plaintext plain txt nohighlight default notranslate highlight wrap copy source auto block snippet "
    "example"
)
# Languages by which classes of `code`, `pre` and `figure` are named alone, and labels beside code.
LANGUAGES = parse_words(
    "asm bash bat clojure cmake console cpp c++ cs csharp c# css csv dart diff docker dockerfile elixir erb erlang "
    "fortran fsharp go golang graphql groovy haskell hcl html ini java javascript js json jsx julia kotlin latex "
    "lisp lua makefile markdown matlab mermaid nginx nix objectivec ocaml perl php plaintext powershell protobuf "
    "puppet py python rb ruby rs rust scala scheme scss sh shell sql svelte swift terraform text toml ts tsx "
    "typescript vue xml yaml yml zig"
)
NAMING_TAGS = frozenset(("code", "pre", "figure"))
LABEL_TAGS = frozenset(("div", "span", "figcaption", "header", "section", "label"))
MAX_LABEL_WORDS = 2
MAX_FIGURE_LEVELS = 6  # elements around code in which a figure is looked for, such as those of a table of its lines
MAX_BAR_WORDS = 6  # words of a bar above or below code, with its label and its buttons
# Elements other than `pre` whose white space is that of code: highlighters that write tables or blocks alone.
CODE_CONTAINER = re.compile(
    r"(?<!\S)(?:syntaxhighlighter|js-file-line-container|crayon-main|codetable|enlighter|ql-code-block-container"
    r"|ltx_lstlisting|member-signature|type-signature)(?!\S)"
)
# The style of code in an element of its own that keeps its lines.
KEEPS_LINES = re.compile(r"\bwhite-space\s*:\s*(?:pre|break-spaces)")
# Lines that a page shows as added or removed, with a sign that a style sheet writes.
ADDED, REMOVED = frozenset(("ins", "add")), frozenset(("del", "remove"))
KERNELS = {"ipython3": "python", "ipython": "python"}  # of notebooks, by the name of their highlighter
LINE_TAGS = frozenset(("li", "tr", "div"))  # of which each is a line of code, so that an empty one is an empty line
MAX_TEXTS = 4  # texts in an element that are examined to see whether it is an empty line
MAX_LANGUAGE_LEVELS = 10  # elements around code that hold nothing else
PAGE_STARTS = ("RFC ", "Internet-Draft ")  # of a page of a text that has pages
PAGE_TAGS = frozenset(("body", "main", "article"))


def is_empty_line(element: HtmlElement, tag: str) -> bool:
    """Return whether an element in code is one of several lines and has no text."""
    if tag not in LINE_TAGS or any(islice(element.itertext(), MAX_TEXTS)):
        return False
    if element.first is not None and element.first.tag == "br":
        return False  # which is read as a line
    beside = element.getprevious()
    beside = element.getnext() if beside is None else beside
    return beside is not None and beside.tag == tag


def keeps_lines(element: HtmlElement) -> bool:
    """Return whether a `code` element is a block of code: its style keeps its lines, and nothing stands beside it."""
    style, around = element.get("style") or "", element.parent
    if not KEEPS_LINES.search(style) or around is None or element.next is not None or element.previous is not None:
        return False
    return not (around.text or "").strip() and not (element.tail or "").strip()


def find_line_sign(names: Container[str]) -> str:
    """Return the sign before a line that a page shows as added or removed, by the line's classes; "" for others."""
    if "line" in names and "diff" not in names:
        return ""
    return "+" if any(name in names for name in ADDED) else "-" if any(name in names for name in REMOVED) else ""


def fence_block(block: TextBlock, label: str = "") -> list[str]:
    """Return a fenced code block with its language, or else the label beside it."""
    pieces = [token if isinstance(token, str) else "\n" if token[0] == "br" else "" for token in block.tokens]
    return _fence("".join(pieces), block.frame, label, _find_signs(block.tokens, pieces))


def list_code_lines(blocks: list[TextBlock], place: int) -> list[TextBlock]:
    """Return the block at the place and those after it that are lines of one code element; none for inline code."""
    frame = blocks[place].frame
    following = (blocks[at] for at in range(place, len(blocks)))
    code = [*takewhile(lambda block: block.frame is frame and _is_code_alone(block), following)]
    return code if any(BREAK in block.tokens for block in code) else []


def _is_code_alone(block: TextBlock) -> bool:
    """Return whether the block of text has nothing but one code element."""
    tokens = [token for token in block.tokens if not (isinstance(token, str) and token.isspace())]
    return tokens[0] == CODE[0] and tokens[-1] == CODE[1] and tokens.count(CODE[0]) == 1


def fence_lines(blocks: list[TextBlock]) -> list[str]:
    """Return a fenced code block of the lines of one code element, of which an empty line began each further block."""
    pieces = (
        SPACES.sub(" ", token) if isinstance(token, str) else "\n" if token == BREAK else ""
        for place, block in enumerate(blocks)
        for token in ("\n\n" if place else "", *block.tokens)
    )
    return _fence(SPACE_AT_START.sub("", "".join(pieces)), blocks[0].frame)


def _fence(code: str, frame: Frame, label: str = "", signs: dict[int, str] | None = None) -> list[str]:
    """Return the lines of code between fences that are longer than any in it; `signs` stand before some of them."""
    # Sanitised first, because invisible characters could split a run of backticks.
    text = sanitise(code).replace("\xa0", " ")
    lines = [line.rstrip() for line in text.split("\n")]
    if signs:
        lines = [f"{signs.get(place, ' ')}{line}".rstrip() for place, line in enumerate(lines)]
    if "[Page " in text or text.lstrip().startswith(PAGE_STARTS):
        lines = without_page_lines(lines)
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    fence = choose_fence(text)
    return [fence + ("diff" if signs else find_code_language(frame) or label), *lines, fence]


def _find_signs(tokens: list[Token], pieces: list[str]) -> dict[int, str]:
    """Return the signs before lines of code, by the number of the line; `pieces` are the texts of the tokens."""
    signs: dict[int, str] = {}
    line = 0
    for token, piece in zip(tokens, pieces, strict=True):
        if not isinstance(token, str) and token[0] == "sign":
            signs[line] = token[1]
        line += piece.count("\n")
    return signs


def find_label(code: TextBlock, beside: TextBlock | None) -> str | None:
    """Return the name of a language that an element beside code shows, "" for none; None for other text."""
    if beside is None or beside.kind != "text" or beside.words > MAX_LABEL_WORDS or beside.frame.tag not in LABEL_TAGS:
        return None
    name = beside.text.lower()
    if name not in LANGUAGES and name != find_code_language(code.frame):
        return None
    holder = code.frame.parent
    while holder is not None and holder.words == code.words:
        holder = holder.parent
    if holder is None or holder.words > code.words + MAX_BAR_WORDS or not holder.first <= beside.index < holder.last:
        return None
    return "" if name in NO_LANGUAGE else name


def find_code_language(frame: Frame) -> str:
    """Return the language that the classes or attributes of the code element and those around it name, or ""."""
    element = frame.element
    parent = element.getparent()
    candidates = [next(element.iter("code"), None), element, parent, None if parent is None else parent.getparent()]
    candidates += [holder.element for holder in _find_holders(frame)]
    candidates += [element.first, _find_figure(frame)]  # the first line, and what has a caption, too
    named = LANGUAGE_OF_PRE.match(element.get("class") or "") if element.tag == "pre" else None
    around = [named[1]] if named else []
    alone: list[str] = []
    for candidate in candidates:
        if candidate is not None:
            around.append(candidate.get("data-lang") or candidate.get("data-language") or "")
            name = candidate.get("class") or ""
            around += LANGUAGE.findall(name)
            around.append((candidate.get("lang") or "") if "highlight" in name else "")
            alone += (
                [each for each in name.lower().split() if each in LANGUAGES] if candidate.tag in NAMING_TAGS else ()
            )
    for name in around + alone:
        if name and name.lower() not in NO_LANGUAGE and re.fullmatch(r"[\w+#.-]{1,20}", name):
            return KERNELS.get(name.lower(), name.lower())
    return ""


def _find_figure(frame: Frame) -> HtmlElement | None:
    """Return the figure around code."""
    around = frame.parent
    for _ in range(MAX_FIGURE_LEVELS):
        if around is None or around.tag == "figure":
            break
        around = around.parent
    return around.element if around is not None and around.tag == "figure" else None


def _find_holders(frame: Frame) -> list[Frame]:
    """Return the elements around code that hold no other text than its title."""
    holders: list[Frame] = []
    holder = frame.parent
    while holder is not None and holder.blocks <= frame.blocks + 1 and holder.tag not in PAGE_TAGS:
        if len(holders) == MAX_LANGUAGE_LEVELS:
            break
        holders.append(holder)
        holder = holder.parent
    return holders
