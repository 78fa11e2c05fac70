"""Linear running time of every parser: twice the input takes no more than about twice the CPU time."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import pytest
from tests.support.processor_time import assert_linear

from assay.bibliography import notation
from assay.bibliography.doi import detect_doi
from assay.bibliography.identifiers import identify
from assay.bibliography.person_names import split_names
from assay.brand import homepage
from assay.crawl import sitemaps
from assay.crawl.traps import signature_of
from assay.documents.feed_markdown import parse as parse_feed
from assay.documents.xml_outline import parse as parse_xml
from assay.evaluation import source_quality
from assay.evaluation.claim_evidence import find_key_sentences, measure_support
from assay.extraction import declared_facts
from assay.html.metadata.page_metadata import extract_facts
from assay.html.metadata.raw_metadata import parse_raw_metadata
from assay.html.parser.html_tree import parse_html
from assay.html.reader.article import extract_article
from assay.html.reader.forum_posts import extract_forum_signals
from assay.html.reader.main_content import read_main_content
from assay.net.guarded_client import Fetched
from assay.scraping.access_walls import detect_wall
from assay.scraping.page_links import extract_links
from assay.scraping.page_outline import extract_outline, render_html
from assay.scraping.render_detection import explain_missing_content
from assay.text import dates, decode, robots_txt
from assay.text.captions import build_paragraphs, parse_cues, select_highlights
from assay.text.combined_text import fit_text
from assay.text.markdown_comments import without_comments
from assay.text.near_duplicates import group_texts
from assay.text.plain_text import to_plain_text
from assay.text.sanitize import sanitise
from assay.text.truncate import cut
from assay.text.user_info import remove_all_user_info, remove_link_user_info
from assay.verification.claim_coverage import measure_coverage
from assay.verification.self_promotion import find_in_page
from assay.verification.title_matching import measure_overlap

URL = "https://river.example/otters/2024/some-page"
PROSE = "Otters hold hands while they sleep, so that the river does not part them. "


HTML_READERS: dict[str, Callable[[str], object]] = {
    "main content": lambda html: read_main_content(parse_html(html), URL),
    "readability": lambda html: extract_article(html, URL),
    "metadata": lambda html: extract_facts(parse_html(html), URL),
    "declared": parse_raw_metadata,
    "declared facts": lambda html: (declared_facts.read_facts(html, []), declared_facts.group_facts(html)),
    "brand": lambda html: homepage.parse_brand(parse_html(html), URL),
    "links": lambda html: extract_links(parse_html(html), URL),
    "scripts": lambda html: explain_missing_content(parse_html(html), html, ""),
    "forum": lambda html: extract_forum_signals(parse_html(html), "https://www.reddit.com/r/otters/comments/1/x/"),
    "plain text": to_plain_text,
    "walls": lambda html: detect_wall(html, html_size=len(html)),
    "comments": without_comments,
    "decoding": lambda html: decode.decode(html.encode()),
}
# The shapes that every reader meets; the other shapes are read for the main content alone.
COMMON = (
    "table",
    "list",
    "nesting",
    "links",
    "attributes",
    "classes",
    "spans",
    "figures",
    "metas",
    "JSON-LD",
    "comments",
)


def repeat_numbered(piece: str) -> Callable[[int], str]:
    return lambda many: "".join(piece.replace("#", str(number)) for number in range(many))


HTML: dict[str, Callable[[int], str]] = {
    "rows": lambda n: "<table>" + "<tr><td>x" * n,
    "table": lambda n: f"<p>{PROSE}<table>" + repeat_numbered("<tr><td>a#<td>b#<td>c#")(n) + "</table>",
    "wide rows": lambda n: "<table>" + ("<tr>" + "<td>x" * 100) * (n // 50) + "</table>",
    "spanning cells": lambda n: "<table>" + "<tr><td rowspan=40 colspan=3>otter<td>y" * n + "</table>",
    "tables": lambda n: "<table><tr><th>a<th>b<tr><td>c<td>d</table>" * n,
    "tables in cells": lambda n: "<table><tr><td>x<table><tr><td>a<td>b<tr><td>c<td>d</table></table>" * n,
    "paragraphs in a cell": lambda n: "<table><tr><td>" + f"<p>{PROSE}" * n + "<tr><td>x<td>y</table>",
    "captions": lambda n: "<table>" + "<caption>x</caption><tr><td>a<td>b" * n + "</table>",
    "list": lambda n: "<ul>" + repeat_numbered("<li>otter #")(n) + "</ul>",
    "lists": lambda n: "<ul><li>a<li>b<ul><li>c</ul></ul>" * n,
    "nested lists": lambda n: ("<ul><li>a" * 60 + "</ul>" * 60) * (n // 60),
    "lists directly in lists": lambda n: ("<ul><li>a" + "<ul><li>b" * 8 + "</ul>" * 9) * (n // 8),
    "footnotes": lambda n: (
        "<p>" + repeat_numbered("word <a href=#n#>#</a> ")(n) + repeat_numbered("<div id=n#>")(40) + PROSE * n
    ),
    "terms": lambda n: "<dl>" + "<dt>otter<dd>swims" * n + "</dl>",
    "paragraphs": repeat_numbered(f"<p>{PROSE} #"),
    "one paragraph": lambda n: "<p>" + PROSE * n,
    "headings": repeat_numbered("<h2>Otter #</h2><p>swims #"),
    "nesting": lambda n: ("<div>" * 100 + PROSE + "</div>" * 100) * (n // 40),
    "deep": lambda n: "<div>" * n * 4 + PROSE,
    "quotes": lambda n: ("<blockquote>" * 20 + PROSE + "</blockquote>" * 20) * (n // 10),
    "spans": lambda n: "<p>" + "<span>x</span> " * n * 4,
    "emphasis": lambda n: "<p>" + "<b>x</b><i>y</i> " * n * 2,
    "emphasis in emphasis": lambda n: ("<p>" + "<b><i>" * 6 + "x") * n,
    "links": lambda n: "<p>" + repeat_numbered("<a href='/o/#'>otter #</a> ")(n * 2),
    "empty links": lambda n: "<p>" + repeat_numbered("<a href='/o/#'></a>")(n * 2),
    "pictures": repeat_numbered("<img src='/#.jpg' alt='otter #'>"),
    "pictures in a line": lambda n: "<p>" + repeat_numbered("<img src='/#.jpg' alt='otter #'> ")(n) + PROSE,
    "figures": repeat_numbered("<figure><img src=/#.jpg alt='otter #'><figcaption>Sleeping #</figcaption></figure>"),
    "breaks": lambda n: "<p>" + "otter<br>" * n * 4,
    "one break": lambda n: "<p>" + "<br>" * n * 8,
    "code": lambda n: "<pre>" + "x = 1\n" * n * 8 + "</pre>",
    "code in spans": lambda n: "<pre>" + "<span class=k>x</span> = 1\n" * n * 4 + "</pre>",
    "lines of code as rows": lambda n: (
        "<table class=js-file-line-container>" + "<tr><td class=blob-num><td class=blob-code>x" * n + "</table>"
    ),
    "empty lines of code": lambda n: "<pre>x" + "<div></div>" * n * 2 + "</pre>",
    "fractions": lambda n: "<p>" + "<math><mfrac><mi>x</mi><msup><mi>y</mi><mn>2</mn></msup></mfrac></math> " * n,
    "roots in roots": lambda n: "<p><math>" + "<msqrt><mi>x</mi>" * n + "</math>",
    "formulas in text": lambda n: "<script src=/katex.js></script><p>" + r"\(x\) \[ $a $$ " * n * 2,
    "blocks of code": lambda n: "<pre><code class=language-python>x = 1\n</code></pre>" * n,
    "classes": lambda n: f"<p class='{repeat_numbered('c# ')(n * 10)}'>{PROSE}",
    "attributes": lambda n: f"<p {repeat_numbered('a#=1 ')(n * 10)}>{PROSE}",
    "elements of many attributes": lambda n: f"<p {repeat_numbered('a#=1 ')(100)}>{PROSE}" * (n // 20),
    "names": repeat_numbered("<p class='c# d' id=i#>otter #"),
    "styles": repeat_numbered("<p style='color:red;margin:#px'>otter #"),
    "hidden": lambda n: repeat_numbered("<p style='display:none;margin:#px'>otter #")(n) + f"<p>{PROSE}",
    "hidden by a rule": lambda n: f"<style>.x{{display:none}}</style><p>{PROSE}" + "<p class=x>otter" * n,
    "rules": lambda n: f"<style>{repeat_numbered('.c#{display:none}')(n * 4)}</style><p class=c1>x<p>{PROSE}",
    "rules and elements": lambda n: (
        f"<style>{repeat_numbered('.c#{display:none}')(n)}</style><p>{PROSE}" + repeat_numbered("<p class=c#>x")(n)
    ),
    "rules for many": lambda n: (
        f"<style>{repeat_numbered('p.c#,div .x{margin:#px}')(n)}p{{color:red}}</style>" + f"<p class=x>{PROSE}" * 50
    ),
    "nested rules": lambda n: f"<style>{'.a{display:none;.b{color:red}}' * n}</style><p class=a>x<p>{PROSE}",
    "long selectors": lambda n: f"<style>{'.a .b > .c ~ p + p ' * n}{{display:none}}</style><p>{PROSE}",
    "selectors": lambda n: (
        f"<style>{','.join(f'.c{at}' for at in range(n * 4))}{{display:none}}</style><p class=c1>x<p>{PROSE}"
    ),
    "siblings": lambda n: "<style>.a ~ .b{display:none}</style>" + "<p class=b>x" * n,
    "numbered siblings": lambda n: "<style>p:nth-child(2n){display:none}</style>" + "<p>x" * n,
    "rules of parents": lambda n: "<style>div:has(.x){display:none}</style>" + "<div><p>x</div>" * n,
    "rules of siblings": lambda n: "<style>.a:has(~ .b){display:none}</style>" + "<p class=a>x<p class=b>y" * n,
    "rules with :has()": lambda n: (
        f"<style>{repeat_numbered('.c#:has(.d#){display:none}')(n // 4)}</style>"
        + repeat_numbered("<div class=c#><p class=d#>x</div>")(n // 4)
        + f"<p>{PROSE}"
    ),
    "imports": lambda n: (
        f"<style>{'@import url(data:text/css,.x%7Bdisplay:none%7D);' * n * 4}</style><p class=x>x<p>{PROSE}"
    ),
    "custom properties": lambda n: (
        f"<style>:root{{{repeat_numbered('--a#:none;')(n)}}}.x{{display:var(--a1)}}</style><p class=x>x<p>{PROSE}"
    ),
    "media": lambda n: f"<style>{'@media (max-width:1px){.x{display:none}}' * n}</style><p>{PROSE}",
    "comments": lambda n: f"<p>{PROSE}" + "<!-- x -->" * n * 4,
    "scripts": lambda n: f"<p>{PROSE}" + "<script>let x = '<p>'</script>" * n,
    "noscripts": lambda n: f"<p>{PROSE}" + "<noscript><p>x</noscript>" * n,
    "entities": lambda n: "<p>" + "&amp;&lt;&eacute; " * n * 4,
    "signs": lambda n: "<p>" + "*_`[]<> ~~ " * n * 2,
    "brackets": lambda n: "<p>" + "[" * n * 4,
    "spaces": lambda n: f"<p>{PROSE}" + " \n\t" * n * 8 + "x",
    "open tags": lambda n: f"<p>{PROSE}" + "<a " * n * 4,
    "ends": lambda n: f"<p>{PROSE}" + "</div></p></b>" * n * 2,
    "crossed": lambda n: "<a><b><i></a></b>" * n,
    "elements ended early": lambda n: "<p hidden><div>x</div></p>" * n,
    "pages in the page": lambda n: f"<p>{PROSE}" + "<p>x</p></body></html>" * n,
    "formulas": lambda n: "<math><mi>x</mi><mo>=</mo><mn>1</mn></math> and " * n,
    "templates": lambda n: f"<p>{PROSE}" + "<template><p>x</template>" * n,
    "details": lambda n: "<details><summary>a</summary>b</details>" * n,
    "metas": lambda n: f"<head>{repeat_numbered('<meta name=m# content=x>')(n * 2)}</head><p>{PROSE}",
    "authors": lambda n: f"<head>{repeat_numbered('<meta name=citation_author content=Ann-#>')(n)}</head><p>{PROSE}",
    "titles": lambda n: f"<title>{'otter | ' * n}</title><h1>{'otter ' * n}</h1><p>{PROSE}",
    "datelines": lambda n: "<h1>Otters</h1>" + "<p>By Ann Otter, 3 May 2024<time datetime=2024-05-03>3 May</time>" * n,
    "JSON-LD": lambda n: ld(
        [{"@type": "Article", "headline": f"Otter {at}", "author": {"name": "A"}} for at in range(n)]
    ),
    "JSON-LD, nested": lambda n: ld({"@graph": [{"@type": "Product", "offers": {"price": at}} for at in range(n)]}),
    "JSON-LD, deep": lambda n: f"<script type='application/ld+json'>{'[' * n}{']' * n}</script><p>{PROSE}",
    "JSON-LD, blocks": lambda n: ld({"@type": "Article", "headline": "Otter"}) * n,
    "JSON-LD, broken": lambda n: f"<script type='application/ld+json'>{{{'"a": "b" "c", ' * n}</script><p>{PROSE}",
    "JSON-LD, broken blocks": lambda n: f"<script type='application/ld+json'>{{a: 'b',, c}}</script><p>{PROSE}" * n,
    "JSON-LD, references": lambda n: ld(
        {"@graph": [{"@id": f"#{at}", "author": {"@id": f"#{at + 1}"}} for at in range(n)]}
    ),
    "microdata": lambda n: "<div itemscope itemtype='https://schema.org/Product'><b itemprop=name>x</b></div>" * n,
    "icons": lambda n: f"<head>{repeat_numbered('<link rel=icon href=/#.png sizes=#x#>')(n)}</head><p>{PROSE}",
}


def ld(value: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(value)}</script><p>{PROSE}"


def bib(n: int) -> str:
    return repeat_numbered(
        "@article{o#, title={Otters {of} the River #}, author={Otter, Ann and Heron, Bo}, year={2020}}\n"
    )(n)


def response_of(body: str) -> Fetched:
    return Fetched("https://a.example/s.xml", 200, {}, body.encode(), truncated=False, hops=0)


ADDRESS_PIECES = (
    "](",
    "]:",
    "](<",
    "<a:",
    "https:",
    "a:",
    "](https://u(",
    "]:(",
    'href="',
    "href=",
    "&#64;",
    "\\",
    "//",
    " ",
    ",https:u",
)
ITEM = "<item><title>Otter #</title><link>https://a.example/#</link><pubDate>Fri, 3 May 2024 10:00:00 GMT</pubDate><description>x &lt;p&gt;y</description></item>"
ENTRY = "<entry><title>O #</title><link href='/#'/><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>x</p></div></content></entry>"
FORMS: dict[str, tuple[Callable[[Any], object], Callable[[int], object]]] = {
    "RSS": (
        lambda text: parse_feed(text.encode(), "rss"),
        lambda n: f"<rss><channel><title>x</title>{repeat_numbered(ITEM)(n)}</channel></rss>",
    ),
    "Atom": (
        lambda text: parse_feed(text.encode(), "atom"),
        lambda n: f"<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title>{repeat_numbered(ENTRY)(n)}</feed>",
    ),
    "RSS, one long item": (
        lambda text: parse_feed(text.encode(), "rss"),
        lambda n: f"<rss><channel><item><title>x</title>{'<link/>' * n * 8}</item></channel></rss>",
    ),
    "RSS, entities": (
        lambda text: parse_feed(text.encode(), "rss"),
        lambda n: f"<rss><channel><item><title>{'&eacute;&foo;' * n * 4}</title></item></channel></rss>",
    ),
    "RSS, open CDATA": (
        lambda text: parse_feed(text.encode(), "rss"),
        lambda n: f"<rss><channel><item><title>{'<![CDATA[' * n * 8}</title></item></channel></rss>",
    ),
    "JSON Feed": (
        lambda text: parse_feed(text.encode(), "json"),
        lambda n: json.dumps(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "items": [{"title": f"x{at}", "url": f"/{at}"} for at in range(n)],
            }
        ),
    ),
    "XML": (
        lambda text: parse_xml(text.encode(), "xml"),
        lambda n: (
            f"<a>{repeat_numbered('<b c=#><d>x</d>y</b>'.replace('c=#', 'c=“#“').replace('“', chr(34)))(n * 4)}</a>"
        ),
    ),
    "sitemap": (
        lambda text: sitemaps._read(response_of(text)),
        lambda n: (
            f"<urlset>{repeat_numbered('<url><loc>https://a.example/#</loc><lastmod>2024-05-03</lastmod></url>')(n)}</urlset>"
        ),
    ),
    "sitemap of sitemaps": (
        lambda text: sitemaps._read(response_of(text)),
        lambda n: (
            f"<sitemapindex>{repeat_numbered('<sitemap><loc>https://a.example/#</loc></sitemap>')(n)}</sitemapindex>"
        ),
    ),
    "sitemap in lines": (lambda text: sitemaps._read(response_of(text)), repeat_numbered("https://a.example/#\n")),
    "robots": (
        lambda text: robots_txt.find_group("AssayBot", text.encode()).allows("https://a.example/x/" + "ab" * 100),
        lambda n: "User-agent: *\n" + repeat_numbered("Disallow: /a*b*c*#\nAllow: /x/#$\n")(n),
    ),
    "robots, groups": (
        lambda text: robots_txt.find_group("AssayBot", text.encode()).allows("https://a.example/x"),
        repeat_numbered("User-agent: bot#\nDisallow: /#\n"),
    ),
    "robots, one group of many": (
        lambda text: robots_txt.find_group("AssayBot", text.encode()).allows("https://a.example/x"),
        lambda n: repeat_numbered("User-agent: bot#\n")(n) + repeat_numbered("Disallow: /#\n")(n),
    ),
    "robots, sitemaps": (
        lambda text: robots_txt.find_sitemaps(text.encode()),
        repeat_numbered("Sitemap: https://a.example/#.xml\n"),
    ),
    "BibTeX": (notation.parse_bibliography, bib),
    "BibTeX, one entry": (
        notation.parse_bibliography,
        lambda n: f"@article{{a, {repeat_numbered('f# = {x}, ')(n)} title={{Otters}}}}",
    ),
    "BibTeX, braces": (notation.parse_bibliography, lambda n: f"@article{{a, title={{{'{' * n * 4}x{'}' * n * 4}}}}}"),
    "BibTeX, open braces": (notation.parse_bibliography, lambda n: "@article{a, title={" * n),
    "BibTeX, authors": (
        notation.parse_bibliography,
        lambda n: f"@article{{a, title={{x}}, author={{{' and '.join(f'Otter, A{at}' for at in range(n))}}}}}",
    ),
    "BibTeX, strings": (
        notation.parse_bibliography,
        lambda n: repeat_numbered('@string{s# = "x"}\n')(n) + "@article{a, title=" + "s1 # " * n + "s2}",
    ),
    "BibTeX, commands": (
        notation.parse_bibliography,
        lambda n: r"@article{a, title={" + r"\'{e}\textbf{x} $a$ " * n + "}}",
    ),
    "RIS": (
        notation.parse_bibliography,
        repeat_numbered("TY  - JOUR\nTI  - Otters #\nAU  - Otter, Ann\nPY  - 2020\nER  - \n\n"),
    ),
    "RIS, one entry": (
        notation.parse_bibliography,
        lambda n: "TY  - JOUR\nTI  - x\n" + repeat_numbered("AU  - Otter, A#\nKW  - k\n")(n) + "ER  - \n",
    ),
    "CSL-JSON": (
        notation.parse_bibliography,
        lambda n: json.dumps(
            [{"type": "book", "title": f"Otters {at}", "author": [{"family": "O"}]} for at in range(n)]
        ),
    ),
    "claim": (
        partial(measure_support, "Otters hold hands while they sleep in 2020"),
        repeat_numbered(PROSE + "There are # of them. "),
    ),
    "long claim": (lambda text: measure_support(text, PROSE * 20), repeat_numbered("otter# ")),
    "claim, one sentence": (
        partial(measure_support, "Otters hold hands while they sleep"),
        lambda n: "otters sleep " * n * 4,
    ),
    "key sentences": (
        partial(find_key_sentences, "Otters hold hands while they sleep"),
        repeat_numbered(PROSE + "There are # of them. "),
    ),
    "coverage": (
        partial(measure_coverage, "Otters hold hands while they sleep in 2020"),
        repeat_numbered(PROSE + "There are # of them. "),
    ),
    "titles": (lambda text: measure_overlap(text, "Otters of the river"), repeat_numbered("otter # ")),
    "promotion": (partial(find_in_page, URL), repeat_numbered("1. River Otter # is the best product by far\n\n")),
    "quality": (
        lambda text: source_quality.score_source(
            "otters sleep", url=URL, title="Otters", content=text, published="", today=date(2026, 1, 1)
        ),
        lambda n: PROSE * n,
    ),
    "extract_outline": (
        extract_outline,
        repeat_numbered("## Otter #\n\n| a | b |\n| --- | --- |\n| c | d |\n\n- [x](https://a.example/#)\n\n"),
    ),
    "extract_outline, brackets": (extract_outline, lambda n: "[" * n * 8),
    "extract_outline, pipes": (extract_outline, lambda n: "|" * n * 8),
    "markdown as HTML": (render_html, repeat_numbered("## Otter #\n\n- [x](https://a.example/#)\n\ntext\n\n")),
    "cut": (lambda text: cut(text, len(text) // 2), lambda n: PROSE * n * 8),
    "cut, no ends": (lambda text: cut(text, len(text) // 2), lambda n: "x" * n * 64),
    "combined": (lambda text: fit_text(text, len(text) // 2), lambda n: f"{PROSE}\n\n" * n * 4),
    "sanitised": (sanitise, lambda n: "ott\u200ber\u202e \U000e0041" * n * 8),
    "DOIs": (lambda text: detect_doi(URL, None, text, "journal"), repeat_numbered("doi:10.1000/a# ")),
    "one DOI": (lambda text: identify(f"doi:10.1000/{text}"), lambda n: "a(" * n * 8),
    "captions": (
        lambda text: select_highlights(build_paragraphs(parse_cues(text))),
        lambda n: (
            "WEBVTT\n\n"
            + "".join(
                f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000 --> {at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.900\notter {at} swims\n\n"
                for at in range(n)
            )
        ),
    ),
    "people": (split_names, lambda n: ", ".join(f"Ann Otter{at}" for at in range(n)) + " and Bo"),
    "a date": (lambda text: dates.rfc3339(text, 0.0), lambda n: "1" * n * 8),
    "kin": (
        lambda text: group_texts([line.split() for line in text.splitlines()]),
        repeat_numbered("otters of the river # hold hands while asleep\n"),
    ),
    "traps": (signature_of, lambda n: PROSE * n),
    "user names": (remove_all_user_info, lambda n: [f"{piece * n * 8}@" for piece in ADDRESS_PIECES]),
    "user names in links": (
        lambda texts: [remove_link_user_info(text) for text in texts],
        lambda n: [f"{piece * n * 8}@" for piece in ADDRESS_PIECES],
    ),
}


def cases() -> Iterator[object]:
    for reader, work in HTML_READERS.items():
        for shape in HTML if reader == "main content" else COMMON:
            yield pytest.param(work, HTML[shape], id=f"{reader}: {shape}")
    for name, (work, make) in FORMS.items():
        yield pytest.param(work, make, id=name)


@pytest.mark.parametrize(("work", "make"), list(cases()))
def test_twice_the_input_takes_about_twice_the_time(work, make):
    assert_linear(work, make)
