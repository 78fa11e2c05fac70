"""Links over services that count or check clicks."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

TARGET = "https://herons.example/report?year=2020&page=1"
ENCODED = "https%3A%2F%2Fherons.example%2Freport%3Fyear%3D2020%26page%3D1"
OVER_SERVICES = {
    "a published document": f"https://www.google.com/url?q={ENCODED}&amp;sa=D&amp;usg=AOv",
    "a result of a search": f"https://www.google.de/url?sa=t&amp;q=&amp;url={ENCODED}&amp;usg=x",
    "a social network": f"https://l.facebook.com/l.php?u={ENCODED}&amp;h=x",
    "a filter of mail": f"https://nam04.safelinks.protection.outlook.com/?url={ENCODED}&amp;data=05%7C01%7Cann",
    "without a scheme": f"//link.zhihu.com/?target={ENCODED}",
    "an affiliate program": f"https://rei.pxf.io/c/1/2/3?subId1=x&amp;u={ENCODED}",
    "an archive": f"https://archive.ph/o/AbC12/{TARGET.replace('&', '&amp;')}",
    "another filter": f"https://protect.checkpoint.com/v2/r01/___{TARGET.replace('&', '&amp;')}___.YXAz",
    "a filter with its own end": f"https://urldefense.com/v3/__{TARGET.replace('&', '&amp;')}__;!!abc",
}
OTHERS = {
    "a page about another": "https://herons.example/url?q=https%3A%2F%2Fotters.example",
    "an archived page": "https://web.archive.org/web/2020/https://herons.example/report",
    "a script": "https://www.google.com/url?q=javascript:alert(1)",
    "letters that are written otherwise": "https://urldefense.com/v3/__https://herons.example/*a__;Iw!!abc",
}


def read_link(address: str) -> str:
    page = f'<p>Herons wade in the shallows, as <a href="{address}">the report</a> of the year says.</p>'
    return read_main_content(parse_html(page), "https://birds.example/").markdown


@pytest.mark.parametrize("address", OVER_SERVICES.values(), ids=OVER_SERVICES)
def test_links_lead_to_their_target(address: str) -> None:
    assert f"[the report]({TARGET})" in read_link(address)


@pytest.mark.parametrize("address", OTHERS.values(), ids=OTHERS)
def test_other_links_stay(address: str) -> None:
    assert f"[the report]({address.replace('(1)', '%281%29')})" in read_link(address)


def test_targets_are_checked_like_other_links() -> None:
    hidden = "https://www.google.com/url?q=https%3A%2F%2Fann%3Asecret%40herons.example%2F%29"
    assert "(https://herons.example/%29)" in read_link(hidden)
