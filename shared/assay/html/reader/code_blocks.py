"""Blocks of code on a page: their containers, line numbers and language, and the fenced block they become."""

import re
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame, TextBlock
from assay.text.sanitize import sanitise
from assay.text.word_lists import parse_words

TICKS = re.compile(r"`{3,}")
LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|gatsby-code-|highlight-source-|highlight-|brush:\s*|sourceCode\s+|hljs\s+(?:language-)?|prettyprint\s+lang-|"
    r"syntaxhighlighter\s+)([\w+#.-]+)"
)
NO_LANGUAGE = parse_words(
    "none text plaintext plain txt nohighlight default notranslate highlight wrap copy source auto"
)
# Elements other than `pre` whose white space is that of code: highlighters that write tables or blocks alone.
CODE_CONTAINER = re.compile(r"(?<!\S)(?:syntaxhighlighter|js-file-line-container|crayon-main)(?!\S)")
LINE_TAGS = frozenset(("li", "tr", "div"))  # of which each is a line of code, so that an empty one is an empty line
MAX_TEXTS = 4  # texts in an element that are examined to see whether it is an empty line
MAX_LANGUAGE_LEVELS = 10  # elements around code that hold nothing else
PAGE_TAGS = frozenset(("body", "main", "article"))


def is_empty_line(element: HtmlElement, tag: str) -> bool:
    """Return whether an element in code is one of several lines and has no text."""
    if tag not in LINE_TAGS or any(islice(element.itertext(), MAX_TEXTS)):
        return False
    beside = element.getprevious()
    beside = element.getnext() if beside is None else beside
    return beside is not None and beside.tag == tag


def fence_block(block: TextBlock) -> list[str]:
    """Return a fenced code block with its language; the fence is longer than any in the code."""
    pieces = (token if isinstance(token, str) else "\n" if token[0] == "br" else "" for token in block.tokens)
    # Sanitised first, because invisible characters could split a run of backticks.
    text = sanitise("".join(pieces)).replace("\xa0", " ")
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    longest = max((len(run) for run in TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [fence + find_code_language(block.frame), *lines, fence]


def find_code_language(frame: Frame) -> str:
    """Return the language that the classes or attributes of the code element and those around it name, or ""."""
    element = frame.element
    parent = element.getparent()
    candidates = [next(element.iter("code"), None), element, parent, None if parent is None else parent.getparent()]
    candidates += [holder.element for holder in _find_holders(frame)]
    around: list[str] = []
    for candidate in candidates:
        if candidate is not None:
            around.append(candidate.get("data-lang") or candidate.get("data-language") or "")
            name = candidate.get("class") or ""
            around += LANGUAGE.findall(name)
            around.append((candidate.get("lang") or "") if "highlight" in name else "")
    for name in around:
        if name and name.lower() not in NO_LANGUAGE and re.fullmatch(r"[\w+#.-]{1,20}", name):
            return name.lower()
    return ""


def _find_holders(frame: Frame) -> list[Frame]:
    """Return the elements around code that hold no other text."""
    holders: list[Frame] = []
    holder = frame.parent
    while holder is not None and holder.words == frame.words and holder.tag not in PAGE_TAGS:
        if len(holders) == MAX_LANGUAGE_LEVELS:
            break
        holders.append(holder)
        holder = holder.parent
    return holders
