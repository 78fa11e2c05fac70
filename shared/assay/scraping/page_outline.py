"""Extraction of headings, links, images and tables from Markdown, and conversion to simple HTML."""

import html
import re
from typing import Any

from assay.html.reader.markdown_escapes import unescape_markdown

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^(#{1,6}) +(\S.*)$")
LINK = re.compile(
    r"(!?)\[((?:[^\[\]\\]|\\.){0,500})\]\((<[^<>\n]{1,4000}>|[^()\s]{1,4000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?)\)"
)
CELL = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^\|(?: *:?-{3,}:? *\|)+$")
ITEM = re.compile(r"^ *(?:[-*+]|\d{1,9}[.)]) +")
STARS = re.compile(r"(?<![\\*])(\*{1,3})(?=[^\s*])((?:\\.|[^\\*\n])+)(?<=\S)\1(?!\*)")
LOW_LINES = re.compile(r"(?<![\w\\])__(?=\S)((?:\\.|(?!__)[^\\\n])+)(?<=\S)__(?!\w)")
CODE_MARK = re.compile(r"(?<!\\)`")
MAX_NESTING = 3  # of emphasis
MAX_RESULTS = 500  # per kind


def extract_outline(markdown: str) -> dict[str, Any]:
    """`{headings: [{level, text}], links: [{text, url}], images: [{alt, url}], tables: [{headers, rows}]}`."""
    prose = _strip_code(markdown)
    found = [match for line in prose for match in LINK.finditer(line)]
    return {
        "headings": [
            {"level": len(match[1]), "text": _clean_heading(match[2])}
            for line in prose
            if (match := HEADING.match(line))
        ][:MAX_RESULTS],
        "links": _deduplicate(
            {"text": strip_markdown(match[2]), "url": match[3].strip("<>")} for match in found if not match[1]
        ),
        "images": _deduplicate(
            {"alt": strip_markdown(match[2]), "url": match[3].strip("<>")} for match in found if match[1]
        ),
        "tables": extract_tables(prose)[:MAX_RESULTS],
    }


def extract_tables(lines: list[str]) -> list[dict[str, Any]]:
    """Extract pipe tables as `{headers: [text], rows: [[text]]}`; headers may be empty."""
    found: list[dict[str, Any]] = []
    at = 1
    while at < len(lines):
        if not (RULE.match(lines[at]) and lines[at - 1].startswith("|")):
            at += 1
            continue
        rows, head = [], _split_cells(lines[at - 1])
        at += 1
        while at < len(lines) and lines[at].startswith("|"):
            rows.append(_split_cells(lines[at]))
            at += 1
        found.append({"headers": head, "rows": rows})
    return found


def strip_markdown(text: str) -> str:
    """Remove Markdown syntax from a line; signs that are no marks stay."""
    text = CODE_MARK.sub("", LINK.sub(lambda match: match[2], text))
    for _ in range(MAX_NESTING if "*" in text else 0):
        text = STARS.sub(r"\2", text)
    return unescape_markdown(LOW_LINES.sub(r"\1", text) if "__" in text else text).strip()


def render_html(markdown: str) -> str:
    """Convert to HTML headings, lists, code and paragraphs; all text is escaped."""
    parts: list[str] = []
    for block in _split_blocks(markdown):
        first = block[0]
        if FENCE.match(first):
            parts.append(f"<pre>{html.escape(chr(10).join(block[1:-1]))}</pre>")
        elif heading := HEADING.match(first):
            level = len(heading[1])
            parts.append(f"<h{level}>{html.escape(_clean_heading(heading[2]))}</h{level}>")
        elif all(ITEM.match(line) for line in block):
            items = "".join(f"<li>{html.escape(strip_markdown(ITEM.sub('', line)))}</li>" for line in block)
            parts.append(f"<ul>{items}</ul>")
        else:
            parts.append(f"<p>{'<br>'.join(html.escape(strip_markdown(line)) for line in block)}</p>")
    return "\n".join(parts)


def _clean_heading(heading: str) -> str:
    """The heading without a closing sequence of `#` (CommonMark section 4.2)."""
    text = heading.rstrip()
    without = text.rstrip("#")
    return strip_markdown(without if without.endswith(" ") or not without else text)


def _strip_code(markdown: str) -> list[str]:
    return [line for block in _split_blocks(markdown) if not FENCE.match(block[0]) for line in [*block, ""]]


def _split_blocks(markdown: str) -> list[list[str]]:
    """Split into blocks of lines: paragraphs, single headings, and whole fenced code blocks."""
    found: list[list[str]] = []
    mark, fresh = "", True
    for line in markdown.split("\n"):
        fence = FENCE.match(line)
        if mark:
            found[-1].append(line)
            if fence and fence[1].startswith(mark):
                mark, fresh = "", True
        elif fence or HEADING.match(line):
            found.append([line])
            mark, fresh = fence[1] if fence else "", not fence
        elif not line.strip():
            fresh = True
        elif fresh:
            found.append([line])
            fresh = False
        else:
            found[-1].append(line)
    return found


def _split_cells(line: str) -> list[str]:
    return [strip_markdown(cell.strip().replace("\\|", "|")) for cell in CELL.split(line.strip().strip("|"))]


def _deduplicate(found: Any) -> list[dict[str, str]]:
    return list({tuple(one.items()): one for one in found}.values())[:MAX_RESULTS]
