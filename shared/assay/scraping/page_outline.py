"""What stands in a page's markdown: headings, links, pictures and tables, and the same text as plain HTML."""

import html
import re
from typing import Any

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^(#{1,6}) +(\S.*)$")
LINK = re.compile(
    r"(!?)\[((?:[^\[\]\\]|\\.){0,500})\]\((<[^<>\n]{1,4000}>|[^()\s]{1,4000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?)\)"
)
CELL = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^\|(?: *:?-{3,}:? *\|)+$")
ITEM = re.compile(r"^ *(?:[-*+]|\d{1,9}[.)]) +")
MOST = 500  # of each kind


def outline(markdown: str) -> dict[str, Any]:
    """`{headings: [{level, text}], links: [{text, url}], images: [{alt, url}], tables: [{headers, rows}]}`."""
    prose = _outside_code(markdown)
    found = [match for line in prose for match in LINK.finditer(line)]
    return {
        "headings": [
            {"level": len(match[1]), "text": _heading_text(match[2])}
            for line in prose
            if (match := HEADING.match(line))
        ][:MOST],
        "links": _unique({"text": bare(match[2]), "url": match[3].strip("<>")} for match in found if not match[1]),
        "images": _unique({"alt": bare(match[2]), "url": match[3].strip("<>")} for match in found if match[1]),
        "tables": tables(prose)[:MOST],
    }


def tables(lines: list[str]) -> list[dict[str, Any]]:
    """The pipe tables, `{headers: [text], rows: [[text]]}`; headers may be empty."""
    found: list[dict[str, Any]] = []
    at = 1
    while at < len(lines):
        if not (RULE.match(lines[at]) and lines[at - 1].startswith("|")):
            at += 1
            continue
        rows, head = [], _cells(lines[at - 1])
        at += 1
        while at < len(lines) and lines[at].startswith("|"):
            rows.append(_cells(lines[at]))
            at += 1
        found.append({"headers": head, "rows": rows})
    return found


def bare(text: str) -> str:
    """A line without the marks of markdown."""
    text = LINK.sub(lambda match: match[2], text)
    return re.sub(r"\\([\\`*_{}\[\]()#+\-.!|<>~])", r"\1", re.sub(r"\*\*|__|(?<!\\)`", "", text)).strip()


def as_html(markdown: str) -> str:
    """The text as headings, lists, code and paragraphs; nothing in it is taken for markup."""
    parts: list[str] = []
    for block in _blocks(markdown):
        first = block[0]
        if FENCE.match(first):
            parts.append(f"<pre>{html.escape(chr(10).join(block[1:-1]))}</pre>")
        elif heading := HEADING.match(first):
            level = len(heading[1])
            parts.append(f"<h{level}>{html.escape(_heading_text(heading[2]))}</h{level}>")
        elif all(ITEM.match(line) for line in block):
            items = "".join(f"<li>{html.escape(bare(ITEM.sub('', line)))}</li>" for line in block)
            parts.append(f"<ul>{items}</ul>")
        else:
            parts.append(f"<p>{'<br>'.join(html.escape(bare(line)) for line in block)}</p>")
    return "\n".join(parts)


def _heading_text(heading: str) -> str:
    """The heading without the marks that may close it."""
    text = heading.rstrip()
    without = text.rstrip("#")
    return bare(without if without.endswith(" ") or not without else text)


def _outside_code(markdown: str) -> list[str]:
    return [line for block in _blocks(markdown) if not FENCE.match(block[0]) for line in [*block, ""]]


def _blocks(markdown: str) -> list[list[str]]:
    """Runs of lines between empty ones; a heading stands alone, a fence holds all up to its end."""
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


def _cells(line: str) -> list[str]:
    return [bare(cell.strip().replace("\\|", "|")) for cell in CELL.split(line.strip().strip("|"))]


def _unique(found: Any) -> list[dict[str, str]]:
    return list({tuple(one.items()): one for one in found}.values())[:MOST]
