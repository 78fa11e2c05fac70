"""The styles and locales of the CSL repository, read one at a time from the archive that ships with the package.

`infra/scripts/citation_styles.py` packs the archive. Nothing is fetched: a style that is not in it cannot be used.
"""

import difflib
import importlib.resources
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.errors import InvalidInput

DEFAULT_LOCALE = "en-US"
LONGEST_NAME = 200  # characters of a style's name
SEPARATORS = re.compile(r"[\s_/]+")
SITE = re.compile(r"https?://(?:www\.)?zotero\.org/styles/")
DEFAULT_LOCALES = re.compile(r'\bdefault-locale="([^"]+)"')
ALIASES = {  # common short names that the repository does not list as renamed styles
    "abnt": "associacao-brasileira-de-normas-tecnicas",
    "acm": "association-for-computing-machinery",
    "acs": "american-chemical-society",
    "aip": "american-institute-of-physics",
    "apa-7": "apa",
    "apa-7th-edition": "apa",
    "aps": "american-physics-society",
    "apsa": "american-political-science-association",
    "asa": "american-sociological-association",
    "asm": "american-society-for-microbiology",
    "asme": "american-society-of-mechanical-engineers",
    "bluebook": "bluebook-law-review",
    "chicago": "chicago-author-date",
    "gb-t-7714": "china-national-standard-gb-t-7714-2015-numeric",
    "harvard": "harvard-cite-them-right",
    "iso-690": "iso690-author-date-en",
    "lancet": "the-lancet",
    "mhra": "mhra-author-date",
    "mla-9": "modern-language-association",
    "nejm": "the-new-england-journal-of-medicine",
    "rsc": "royal-society-of-chemistry",
    "turabian": "turabian-author-date",
}
BRITISH = ("harvard-cite-them-right", "mhra-")  # styles of British manuals that name no locale


@dataclass(frozen=True)
class Style:
    """A citation style: the name of its file, its CSL, and the locale that it asks for ("" if it asks for none)."""

    name: str
    csl: str
    locale: str


def load_style(name: str) -> Style:
    """Return the style of this name. Raises InvalidInput with similar names if there is none."""
    index = _load_index()
    wanted = normalize_name(name)
    wanted = ALIASES.get(wanted, wanted)
    wanted = index["renamed"].get(wanted, wanted)
    parent, locale = index["dependents"].get(wanted, (wanted, ""))
    member = index["styles"].get(parent)
    if member is None:
        raise InvalidInput(_describe_unknown_style(name, wanted), field="style")
    csl: str = json.loads(_read(f"styles/{member}.json"))[parent]
    own = DEFAULT_LOCALES.search(csl[:2_000])
    british = "en-GB" if parent.startswith(BRITISH) else ""
    return Style(wanted, csl, locale or (own[1] if own else british))


def normalize_name(name: str) -> str:
    """Write a name as the repository does: `Chicago Author-Date`, `apa.csl` or a style's URL becomes its file name."""
    name = SITE.sub("", name.strip()[:LONGEST_NAME]).casefold().removesuffix(".csl")
    return SEPARATORS.sub("-", name)


def load_locale(tag: str) -> str:
    """Return the terms of a language as XML; "" if there are none, so that the processor takes English."""
    return _read(f"locales/{tag}.xml") if tag in list_locales() else ""


def find_locale(tag: str) -> str:
    """Return the locale for a language tag such as `de` or `pt_br`. Raises InvalidInput if there is none."""
    wanted = tag.strip().replace("_", "-").casefold()
    known = sorted(list_locales())
    exact = [one for one in known if one.casefold() == wanted]
    main = [one for one in known if one.casefold() == f"{wanted}-{wanted}"]  # de-DE for de, before de-AT
    similar = [one for one in known if one.casefold().startswith(f"{wanted.partition('-')[0]}-")]
    if wanted == "en":
        return DEFAULT_LOCALE
    if found := [*exact, *main, *similar]:
        return found[0]
    raise InvalidInput(f"No terms in the language {tag[:40]!r}; use one of {', '.join(known)}.", field="locale")


@cache
def list_locales() -> frozenset[str]:
    with _open_archive() as archive:
        names = archive.namelist()
    return frozenset(name[len("locales/") : -len(".xml")] for name in names if name.startswith("locales/"))


def load_processor() -> str:
    """Return the source of citeproc-js."""
    return _read("citeproc.js")


def _describe_unknown_style(name: str, wanted: str) -> str:
    index = _load_index()
    known = [*ALIASES, *index["styles"], *index["renamed"], *index["dependents"]]
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)
    near = near or [one for one in known if wanted and wanted in one][:3]
    way = (
        f"did you mean {' or '.join(near)}?"
        if near
        else "it takes apa, mla, chicago, ieee, vancouver, nature and others."
    )
    return f"There is no citation style {name[:60]!r} in the CSL repository; {way}"


@cache
def _load_index() -> dict[str, Any]:
    index: dict[str, Any] = json.loads(_read("index.json"))
    return index


def _read(member: str) -> str:
    with _open_archive() as archive:
        return archive.read(member).decode()


@contextmanager
def _open_archive() -> Iterator[zipfile.ZipFile]:
    packed = importlib.resources.files(__package__) / "styles.zip"
    with packed.open("rb") as file, zipfile.ZipFile(file) as archive:
        yield archive
