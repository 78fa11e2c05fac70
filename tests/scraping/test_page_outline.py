"""Headings, links, pictures and tables out of markdown, and the same text as HTML."""

import pytest

from assay.scraping.page_outline import extract_outline, render_html

TEXT = """# Title

Some [link](https://a.example/c_(d)) and **bold** ![pic](https://a.example/p.png) text, [again](<https://b.example/x y>).

## Closed ##

| A | B |
| --- | :---: |
| 1 | 2\\|3 |
| x | [y](http://z.example) |

```py
# no heading
[no](http://no.example)
| no | table |
| --- | --- |
```
### C#
- one
- `two`

first line
second <b>line</b>"""


def test_what_stands_in_the_text_is_listed():
    result = extract_outline(TEXT)
    assert result["headings"] == [
        {"level": 1, "text": "Title"},
        {"level": 2, "text": "Closed"},
        {"level": 3, "text": "C#"},
    ]
    assert result["links"] == [
        {"text": "link", "url": "https://a.example/c_(d)"},
        {"text": "again", "url": "https://b.example/x y"},
        {"text": "y", "url": "http://z.example"},
    ]
    assert result["images"] == [{"alt": "pic", "url": "https://a.example/p.png"}]
    assert result["tables"] == [{"headers": ["A", "B"], "rows": [["1", "2|3"], ["x", "y"]]}]


def test_as_html_nothing_in_it_is_taken_for_markup():
    html = render_html(TEXT)
    assert "<h1>Title</h1>" in html
    assert "<h3>C#</h3>" in html
    assert "<ul><li>one</li><li>two</li></ul>" in html
    assert "<pre># no heading\n[no](http://no.example)" in html
    assert "first line<br>second &lt;b&gt;line&lt;/b&gt;" in html


@pytest.mark.parametrize(
    "text",
    [
        "# " + " " * 400_000 + "x" + " " * 400_000,
        "#" * 400_000,
        "[" * 400_000,
        "[](" * 200_000,
        "![x](a" + "(b" * 200_000,
        "[a](" + "b" * 400_000,
        "|" + " --- |" * 100_000,
        "| a |\n" * 100_000,
        "```\n" * 100_000,
        "\\" * 400_000,
        "`" * 400_000,
        "- " * 200_000,
        "\n" * 400_000,
        "",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_odd_text_comes_to_its_end(text):
    extract_outline(text)
    render_html(text)


STRIPPED = {
    "p = 0.05** and a ** b": "p = 0.05** and a ** b",
    "**bold *and italic* words** ***both***": "bold and italic words both",
    r"\*stars\* \&amp; 1\. a \: b \=": "*stars* &amp; 1. a : b =",
    r"\_\_init\_\_ and a__b__c": "__init__ and a__b__c",
}


@pytest.mark.parametrize("text", STRIPPED)
def test_plain_text_keeps_signs_that_are_no_marks(text):
    assert extract_outline(f"# {text}")["headings"][0]["text"] == STRIPPED[text]
