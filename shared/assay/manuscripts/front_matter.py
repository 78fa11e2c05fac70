"""Reads the YAML front matter of a Markdown document as far as manuscripts use it: title, authors and references."""

import re

from assay.bibliography.csl_json import build_work
from assay.bibliography.notation import MAX_WORKS
from assay.bibliography.person_names import Name, parse_name
from assay.errors import ToolError
from assay.manuscripts.manuscript_draft import DraftReference
from assay.text.safe_yaml import parse_yaml

FRONT = re.compile(r"\A﻿?---[ \t]*\n(.{0,200000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
FIELD = re.compile(r"^(\w[\w-]{0,40})[ \t]*:[ \t]*(.{0,2000})$")
ITEM = re.compile(r"^[ \t]*-[ \t]+(?:name[ \t]*:[ \t]*)?(.{1,500})$")
NAME = re.compile(r"^[ \t]+name[ \t]*:[ \t]*(.{1,500})$")
REFERENCES = re.compile(r"^references[ \t]*:", re.MULTILINE)
BIBLIOGRAPHY = re.compile(r"^bibliography[ \t]*:\s*([^\n]{1,200})", re.MULTILINE)
MOST_AUTHORS = 500


def split_front_matter(text: str) -> tuple[str, str]:
    """Return the front matter, "" without one, and the rest."""
    found = FRONT.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def read_front_matter(front: str) -> tuple[str, tuple[Name, ...]]:
    """Return the title and the authors that the front matter declares."""
    title, names, current = "", list[str](), ""
    for line in front.split("\n"):
        field = FIELD.match(line)
        if field:
            current, value = field[1].casefold(), field[2].strip()
            if current == "title":
                title = _unquote(value)
            elif current in ("author", "authors") and value and value[0] not in "|>":
                names += (
                    [_unquote(each) for each in value.strip("[]").split(",")] if value[0] == "[" else [_unquote(value)]
                )
        elif current in ("author", "authors") and (item := ITEM.match(line) or NAME.match(line)) and ":" not in item[1]:
            names.append(_unquote(item[1]))
    return title, tuple(parse_name(name) for name in names[:MOST_AUTHORS] if name)


def read_references(front: str) -> list[DraftReference]:
    """Return the references that the front matter lists, in the terms of CSL; [] if it is no YAML."""
    if not REFERENCES.search(front):
        return []
    try:
        fields = parse_yaml(front, "front matter")
    except ToolError:
        return []
    listed = fields.get("references") if isinstance(fields, dict) else None
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    works = [build_work(item, number, 0) for number, item in enumerate(items[:MAX_WORKS], 1)]
    return [DraftReference(work.key, "", work) for work in works]


def find_bibliography(front: str) -> str:
    """Return the name of the file of references that the front matter declares, "" for none."""
    found = BIBLIOGRAPHY.search(front)
    return _unquote(found[1].strip(" []-")) if found else ""


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
