"""Files and gists of GitHub."""

import json
import re
from typing import Any
from urllib.parse import quote

from assay.documents.document import FILES
from assay.errors import NotFound
from assay.scraping.document_page import build_document_page
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.scraping.sites.github.api import SITE, are_names, ask, raw
from assay.scraping.sites.github.file_view import CAP, MARKDOWN, ending, language, render_markdown, text_of
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_code,
    clean_line,
    clean_text,
    objects_in,
    parse_date,
)
from assay.text.code_fence import fence_code

GIST = re.compile(r"[0-9a-fA-F]{5,40}")
GIST_FILES = 30


async def blob(url: str, owner: str, name: str, place: list[str], context: SiteContext) -> Page | None:
    """Read a file; `place` is the ref followed by the path segments. Code is put in a fenced block.

    None for binary files, and for files that are not found as raw content.
    """
    if not are_names(owner, name):
        return None
    there = f"/{owner}/{name}/" + "/".join(quote(step, safe="") for step in place)
    is_document = ending(place[-1]) in FILES
    try:
        body = await raw(there, context, cap=context.settings.max_document_bytes if is_document else CAP)
    except NotFound:  # a renamed repository is redirected only by the site itself
        return None
    if is_document:
        return await _document(url, body, context)
    text = text_of(body)
    if not text:
        return None
    path = "/".join(place[1:])
    return build_page(
        url,
        "github",
        [_content(text, path, f"https://github.com/{owner}/{name}/", place[0])],
        cap=CAP,
        tier="github:raw",
        title=f"{clean_line(path)} in {owner}/{name}",
        authors=[owner],
        site=SITE,
        canonical=url,
    )


async def _document(url: str, body: bytes, context: SiteContext) -> Page | None:
    from assay import documents

    kind = documents.detect_kind(body, "", url)
    if kind is None:  # a Git LFS pointer
        return None
    document = await documents.read(body, kind, max_bytes=context.settings.max_document_bytes)
    return build_document_page(url, document, tier="github:raw", site=SITE)


def _content(text: str, path: str, base: str, ref: str) -> str:
    if ending(path) in MARKDOWN:
        return render_markdown(text, path, base, ref)
    if ending(path) == "ipynb" and (cells := _notebook(text)):
        return cells
    return fence_code(clean_code(text, CAP).rstrip("\n"), language(path))


def _notebook(text: str) -> str:
    """The cells of a Jupyter notebook; "" if the file is not a notebook."""
    from assay.text.notebook import render_notebook

    try:
        return render_notebook(json.loads(text))
    except (ValueError, RecursionError):
        return ""


async def gist(url: str, identifier: str, context: SiteContext) -> Page | None:
    """Read a gist: its files, each under a heading with its name."""
    if not GIST.fullmatch(identifier):
        return None
    try:
        found = as_object(await ask(f"/gists/{identifier}", context))
    except NotFound as gone:
        raise NotFound("Not found: GitHub has no such gist, or no longer. Check the URL.") from gone
    files = objects_in(list(as_object(found.get("files")).values()))[:GIST_FILES]
    blocks = [block for file in files if clean_text(file.get("content")) for block in _file(file)]
    if not blocks:
        return None
    owner, now = clean_line(as_object(found.get("owner")).get("login"), 60), context.clock()
    description = clean_line(found.get("description"))
    made = build_page(
        url,
        "github",
        [f"# {description}" if description else "", *blocks],
        cap=CAP,
        title=description or next((clean_line(file.get("filename")) for file in files), "Gist"),
        authors=[owner] if owner else [],
        site="GitHub Gist",
        published=parse_date(found.get("created_at"), now),
        modified=parse_date(found.get("updated_at"), now),
        description=description,
    )
    if made is not None and any(file.get("truncated") is True for file in files):
        made.truncated = True
    return made


def _file(file: dict[str, Any]) -> list[str]:
    from assay.text.markdown_comments import without_comments

    name, text = clean_line(file.get("filename")) or "file", clean_code(file.get("content"), CAP)
    is_markdown = ending(name) in MARKDOWN
    return [f"## {name}", without_comments(text) if is_markdown else fence_code(text.rstrip("\n"), language(name))]
