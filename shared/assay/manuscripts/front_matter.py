"""Reads the YAML front matter of a Markdown document as far as manuscripts use it: the title and the authors."""

import re

from assay.bibliography.person_names import Name, parse_name

FRONT = re.compile(r"\A﻿?---[ \t]*\n(.{0,200000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
FIELD = re.compile(r"^(\w[\w-]{0,40})[ \t]*:[ \t]*(.{0,2000})$")
ITEM = re.compile(r"^[ \t]*-[ \t]+(?:name[ \t]*:[ \t]*)?(.{1,500})$")
NAME = re.compile(r"^[ \t]+name[ \t]*:[ \t]*(.{1,500})$")
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


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
