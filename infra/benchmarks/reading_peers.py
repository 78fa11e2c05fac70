"""Extractors of main text that `reading.py` compares with: those of them that are installed."""

import importlib
import importlib.util
import re
from collections.abc import Callable
from typing import Any

from assay.text.decode import decode

type Reader = Callable[[bytes, str], str]  # arguments: HTML and URL

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def load_peers() -> dict[str, Reader]:
    """Return the installed peers by name. All get bytes and extract metadata too, if they can."""
    return {name: make(name) for name, make in MAKERS.items() if importlib.util.find_spec(name) is not None}


def _make_trafilatura(name: str) -> Reader:
    """trafilatura, or a package with its interface."""
    extract: Callable[..., str | None] = importlib.import_module(name).extract

    def read(page: bytes, url: str) -> str:
        found = extract(decode(page, "utf-8"), url=url, output_format="markdown", with_metadata=True) or ""
        return FRONT_MATTER.sub("", found)  # the metadata

    return read


def _make_rs_trafilatura(name: str) -> Reader:
    extract: Callable[..., Any] = importlib.import_module(name).extract

    def read(page: bytes, url: str) -> str:
        found = extract(decode(page, "utf-8"), url=url, output_markdown=True)
        return found.content_markdown or found.main_content or ""

    return read


def _make_resiliparse(_: str) -> Reader:
    """resiliparse has neither markdown nor metadata."""
    extract: Callable[..., str] = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda page, _: extract(decode(page, "utf-8"), main_content=True)


MAKERS: dict[str, Callable[[str], Reader]] = {
    "trafilatura": _make_trafilatura,
    "etrafilatura": _make_trafilatura,
    "rs_trafilatura": _make_rs_trafilatura,
    "resiliparse": _make_resiliparse,
}
