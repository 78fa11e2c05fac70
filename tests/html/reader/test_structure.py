"""The markdown keeps the structure of pages in each of the ways that sites write it, as the benchmark scores it."""

import pytest
from infra.benchmarks.structure import CLASSES, MATCHERS, find_structure, match_equal
from infra.benchmarks.structure_pages.page import DIALECTS, Page
from infra.benchmarks.structure_pages.shells import STYLE, build_page

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

# Ways of writing that lose structure, with the reason.
LOSSY = {
    "tables.sorted_encyclopedia_table": "the choice of the main content leaves it out",
    "inline.address": "addresses are often those of the site",
}


def miss_structure(name: str, write) -> list[str]:
    page = Page(7)
    for _ in range(8):
        page.paragraph()
    page.dialects.append(name)
    write(page)
    page.paragraph()
    article = "".join([*page.parts, *(write_notes() for write_notes in page.notes)])
    html = f"<html><head>{STYLE}</head><body><main><article><h1>{page.label(3)}</h1>{article}</article></main></body></html>"
    return list_missed(page, html, name)


def list_missed(page: Page, html: str, name: str) -> list[str]:
    found = find_structure(read_main_content(parse_html(html), page.url).markdown, page)
    return [
        f"{name} {kind} {item}"
        for kind in CLASSES
        for item, hit in zip(
            page.truth[kind], MATCHERS.get(kind, match_equal(kind))(page.truth[kind], found), strict=True
        )
        if hit < 1
    ]


@pytest.mark.parametrize("kind", sorted(DIALECTS))
def test_each_way_of_writing_is_read(kind):
    names = {f"{kind}.{write.__name__}": write for write in DIALECTS[kind]}
    missed = [line for name, write in names.items() if name not in LOSSY for line in miss_structure(name, write)]
    assert missed == []


@pytest.mark.parametrize("number", [12, 97])
def test_the_first_words_of_a_section_stay_where_its_list_stays(number):
    page = build_page(number)
    missed = list_missed(page, "".join(page.parts), str(number))
    assert [line for line in missed if " lines " in line] == []
