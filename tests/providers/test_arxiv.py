"""arXiv: the contract case, and what its feed says of a preprint's publication."""

import pytest
from tests.providers.contract_case import method

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><title>ArXiv Query</title>{}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2105.01234v2</id><title>Otters under
 the ice</title><published>2021-05-04T17:00:00Z</published><author><name>Di Marsh</name></author>
<arxiv:doi>10.71234/Pub.1</arxiv:doi><arxiv:journal_ref>River Letters 12 (2022) 3-9</arxiv:journal_ref></entry>"""
FAULT = "<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title></entry>"
OFFERS = [
    method(
        "arxiv",
        "find_preprints",
        lambda one: one.find_preprints(["2105.01234"]),
        FEED.format(ENTRY),
        "Otters under the ice",
        nothing=FEED.format(""),
        in_json=False,
    ),
]


@pytest.fixture
def source(make):
    return make("arxiv")


async def test_the_publication_that_the_authors_name_is_told_apart_from_the_preprint(source, upstream):
    upstream.says(FEED.format(FAULT + ENTRY))
    [paper] = await source.find_preprints(["2105.01234", "2105.01234", "x"])
    [record] = paper.records
    assert (paper.doi, paper.arxiv_id, paper.year, paper.authors) == (
        "10.48550/arxiv.2105.01234", "2105.01234", 2021, ["Di Marsh"]
    )  # fmt: skip
    assert (record.preprint_dois, record.published_dois) == ({"10.48550/arxiv.2105.01234"}, {"10.71234/pub.1"})
    assert record.published_as == "River Letters 12 (2022) 3-9"
    assert upstream.requests[0].query == {"id_list": "2105.01234,x", "max_results": "2"}
