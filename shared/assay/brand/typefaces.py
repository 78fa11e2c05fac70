"""Parses the typefaces that a page declares: Google Fonts links, CSS variables, body and heading rules."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

from assay.brand.brand_models import Face, Typography
from assay.html.css import declarations
from assay.html.parser.html_element import HtmlElement
from assay.text.plain_text import to_plain_text
from assay.text.url_parts import split_url

FONT_HOSTS = {"fonts.googleapis.com", "fonts.bunny.net"}
MAX_LINKS = 1_000  # examined per page
IMPORT = re.compile(r"""@import\s+(?:url\()?\s*["']?(https?://[^"')\s;]+)""", re.IGNORECASE)
HEADING_VARIABLE = re.compile(
    r"^--(?:[\w-]*-)?(?:font-(?:family-)?)?(?:headings?|headline|title|display)(?:-font)?(?:-family)?$"
)
BODY_VARIABLE = re.compile(
    r"^--(?:[\w-]*-)?(?:font-(?:family-)?)?(?:body|base|text|sans|paragraph)(?:-font)?(?:-family)?$"
)
MONO_VARIABLE = re.compile(r"^--(?:[\w-]*-)?(?:font-(?:family-)?)?(?:mono|monospace|code)(?:-font)?(?:-family)?$")
GENERIC_FAMILIES = {
    "inherit", "initial", "unset", "revert", "serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui",
    "ui-sans-serif", "ui-serif", "ui-monospace", "ui-rounded", "-apple-system", "blinkmacsystemfont", "emoji", "math",
}  # fmt: skip
FAMILY = re.compile(r"[A-Za-z][\w .+&'-]{1,60}")
REFERENCE = re.compile(r"var\(\s*(--[\w-]+)")
ELEMENTS_BY_USE = {"body": ("body", "html", ":root"), "heading": ("h1",), "mono": ("code", "pre")}


def parse_typography(tree: HtmlElement) -> Typography:
    """Read the typefaces from the document itself; linked stylesheets are not fetched."""
    styles = [style.text for style in tree.iter("style") if style.text]
    links = [link.get("href") or "" for link in tree.iter("link")] + IMPORT.findall(
        "\n".join(styles)[: declarations.MAX_CHARACTERS]
    )
    google_links = [link for link in links[:MAX_LINKS] if _is_font_service(link)]
    google = next(iter(google_links), None)
    loaded = {face.family: face for link in google_links[:20] for face in _parse_font_link(link)}
    families = _find_families(styles)
    mono = next((family for family in loaded if re.search(r"\b(?:Mono|Code)\b", family)), None)
    return Typography(
        heading=_build_face(families.get("heading"), loaded),
        body=_build_face(families.get("body"), loaded),
        mono=_build_face(families.get("mono") or mono, loaded),
        google_fonts_url=f"https:{google}" if google and google.startswith("//") else google,
    )


def _is_font_service(link: str) -> bool:
    try:
        return split_url(link).hostname in FONT_HOSTS
    except ValueError:
        return False


def _parse_font_link(link: str) -> Iterator[Face]:
    """Parse a Google Fonts URL: `css` (`Inter:400,700|Lora`) or `css2` (`Inter:wght@400;700`, repeated)."""
    for families in parse_qs(split_url(link).query).get("family", [])[:20]:
        for family_axes in families.split("|")[:20]:
            family, _, axes = family_axes.partition(":")
            if family := to_plain_text(family, 60):
                weights = sorted({int(weight) for weight in re.findall(r"(?<!\d)[1-9]00(?!\d)", axes)})
                yield Face(family=family, weights=weights, origin="google", origin_id=family)


def _build_face(family: str | None, loaded: dict[str, Face]) -> Face | None:
    return None if family is None else loaded.get(family) or Face(family=family)


def _find_families(styles: list[str]) -> dict[str, str]:
    """Map heading, body and mono to a family, by CSS variables first, then by element rules."""
    variables: dict[str, str] = {}
    rules: dict[str, str] = {}
    for style in styles:
        for selectors, body, _ in declarations.list_rules(style):
            for name, value in _split_declarations(body):
                if name.startswith("--") and len(name) < 80:
                    variables.setdefault(name, value)
                elif name == "font-family":
                    _add_rule(rules, selectors, value)
    families_of_variables = {
        use: family
        for use, pattern in (("heading", HEADING_VARIABLE), ("body", BODY_VARIABLE), ("mono", MONO_VARIABLE))
        for name, value in variables.items()
        if pattern.match(name) and ("font" in name or "," in value)
        if (family := _parse_family(value, variables))
    }
    return {
        use: family for use, value in rules.items() if (family := _parse_family(value, variables))
    } | families_of_variables


def _split_declarations(body: str) -> Iterator[tuple[str, str]]:
    for piece in body.split(";"):
        name, colon, value = piece.partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _add_rule(rules: dict[str, str], selectors: str, value: str) -> None:
    selector_set = {one.strip().lower() for one in selectors.split(",")}
    for use, elements in ELEMENTS_BY_USE.items():
        if selector_set & set(elements):
            rules.setdefault(use, value)


def _parse_family(value: str, variables: dict[str, str]) -> str | None:
    """Return the first family of a font stack if it is not generic; one CSS variable is resolved."""
    if reference := REFERENCE.match(value):
        value = variables.get(reference[1], "")
    first = value.partition(",")[0].partition("!")[0].strip().strip("\"'").strip()
    if first.lower() in GENERIC_FAMILIES or not FAMILY.fullmatch(first):
        return None
    return first
