"""Files that a site shows in a viewer, whose page has no text of theirs: of Google, Dropbox, GitLab and others.

The file itself is read. Where a site does not hand it out without an account, the page of the viewer is read as any.
So are the pages of PubMed Central, which want a browser, and of Europe PMC: open articles are files in JATS.
"""

import re
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import quote, unquote

from assay.errors import InvalidInput
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import path_segments
from assay.settings import Settings
from assay.text.url_parts import join_url, split_url

SECONDS = 30.0
DOCS, DRIVE, GITHUB = "https://docs.google.com", "https://drive.google.com", "https://raw.githubusercontent.com"
EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest"
GOOGLE_ID, REPOSITORY, KEY = r"([\w-]{20,120})", r"[^/?]+/[^/?]+", r"(rlkey=[\w-]+)"
OF_GOOGLE = rf"(?:u/\d{{1,3}}/)?d/{GOOGLE_ID}(?:/(?:edit|view|preview|htmlview|comment)?)?"
ON_GITHUB = rf"/github/({REPOSITORY})/blob/([^?]+)"
STORED, HUGGING_FACE = r"{drive}/uc?export=download&id=\1", r"{host}/\1/resolve/\2"
PMC_ID, ARTICLE = r"(PMC\d{1,10})", r"{europepmc}/\1/fullTextXML"
FILE_NAMES = (  # in the header Content-Disposition
    re.compile(r"filename\*\s*=\s*utf-8''([^;\s]{1,600})", re.IGNORECASE),
    re.compile(r"filename\s*=\s*\"([^\"]{1,300})\"", re.IGNORECASE),
)


class FileViewer(NamedTuple):
    """Pages of hosts with a path (and query), and the address of their file; without hosts, those of software."""

    site: str
    hosts: tuple[str, ...]
    path: str
    file: str  # with the groups of the path

    def find(self, url: str, target: str) -> re.Match[str] | None:
        match = re.fullmatch(self.path, target)
        return match if match and (not self.hosts or is_within(url, *self.hosts)) else None


EDITOR, STORE, COLAB = ("docs.google.com",), ("drive.google.com",), ("colab.research.google.com",)
VIEWERS = (
    FileViewer("Google Docs", EDITOR, f"/document/{OF_GOOGLE}", r"{docs}/document/d/\1/export?format=docx"),
    FileViewer("Google Sheets", EDITOR, f"/spreadsheets/{OF_GOOGLE}", r"{docs}/spreadsheets/d/\1/export?format=xlsx"),
    FileViewer("Google Slides", EDITOR, f"/presentation/{OF_GOOGLE}", r"{docs}/presentation/d/\1/export/pptx"),
    FileViewer("Google Drive", STORE, f"/file/{OF_GOOGLE}", STORED),
    FileViewer("Google Drive", STORE, rf"/open\?id={GOOGLE_ID}", STORED),
    FileViewer("Google Colab", COLAB, f"/drive/{GOOGLE_ID}", STORED),
    FileViewer("Google Colab", COLAB, ON_GITHUB, r"{raw}/\1/\2"),
    FileViewer("nbviewer", ("nbviewer.org",), ON_GITHUB, r"{raw}/\1/\2"),
    FileViewer("PubMed Central", ("ncbi.nlm.nih.gov",), rf"/(?:pmc/)?articles/{PMC_ID}/?", ARTICLE),
    FileViewer("Europe PMC", ("europepmc.org",), rf"/(?:article/PMC|articles)/{PMC_ID}/?", ARTICLE),
    FileViewer("Dropbox", ("dropbox.com",), r"/(s/[^?]+)", r"{host}/\1?dl=1"),
    FileViewer("Dropbox", ("dropbox.com",), rf"/(scl/fi/[^?]+)\?(?:.*&)?{KEY}(?:&.*)?", r"{host}/\1?\2&dl=1"),
    FileViewer(
        "Hugging Face", ("huggingface.co",), rf"/((?:datasets/|spaces/)?{REPOSITORY})/blob/([^?]+)", HUGGING_FACE
    ),
    FileViewer("Bitbucket", ("bitbucket.org",), rf"/({REPOSITORY})/src/([^/?]+/[^?]+)", r"{host}/\1/raw/\2"),
    FileViewer("GitLab", (), r"/([^?]+)/-/blob/([^?]+)", r"{host}/\1/-/raw/\2"),
    FileViewer("Forgejo", (), rf"/({REPOSITORY})/src/((?:branch|tag|commit)/[^/?]+/[^?]+)", r"{host}/\1/raw/\2"),
)


def matches(url: str) -> bool:
    """Whether the canonical URL is that of a viewer."""
    return _find_viewer(url) is not None


async def read(url: str, context: SiteContext) -> Page | None:
    """Read the file that the page shows; None if the site hands out none that can be read."""
    from assay.scraping import response_parser

    viewer, address = find_file(url, context.settings)
    try:
        fetched = await context.web.fetch(address, cap=context.settings.max_document_bytes, seconds=SECONDS)
    except InvalidInput:  # the page may be on an allowed domain, and the file on another one
        return None
    name = _read_file_name(fetched.headers.get("content-disposition", ""))
    if name:
        fetched = replace(fetched, url=join_url(fetched.url, quote(name, safe="")))  # its ending tells the kind
    if fetched.status != 200 or response_parser.detect_kind(fetched) is None:
        return None
    page = (await response_parser.read(fetched, "file", context.settings)).page
    page.url = page.canonical = url
    page.tier, page.site = "file", viewer.site
    page.title = page.title or name.rpartition(".")[0] or path_segments(url)[-1]
    return page


def find_file(url: str, settings: Settings) -> tuple[FileViewer, str]:
    """Return the viewer of a page and the address of the file that it shows."""
    found = _find_viewer(url)
    assert found is not None
    viewer, match = found
    parts = split_url(url)
    bases = {
        "docs": settings.base_url("google_docs", DOCS),
        "drive": settings.base_url("google_drive", DRIVE),
        "europepmc": settings.base_url("europe_pmc", EUROPE_PMC),
        "raw": settings.base_url("github_raw", GITHUB),
        "host": f"{parts.scheme}://{parts.netloc}",
    }
    return viewer, match.expand(viewer.file.format(**bases))


def _find_viewer(url: str) -> tuple[FileViewer, re.Match[str]] | None:
    parts = split_url(url)
    targets = (f"{parts.path}?{parts.query}", parts.path) if parts.query else (parts.path,)
    return next(((each, found) for each in VIEWERS for target in targets if (found := each.find(url, target))), None)


def _read_file_name(disposition: str) -> str:
    """Return the name that the site gives the file, "" for none."""
    return next((unquote(found[1]) for pattern in FILE_NAMES if (found := pattern.search(disposition))), "")
