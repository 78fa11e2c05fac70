"""Links to places in the page: marks of footnotes, numbers of sections and equations, permalinks."""

import pytest
from tests.html.reader.test_markdown_renderer import URL, markdown

REFERENCES = {
    "a section by its address": ('See Part of <a href="#S2">2</a>.', "See Part of 2."),
    "a section by the word before it": ('See Section <a href="#x">2</a>.', "See Section 2."),
    "a theorem with the number of its section": ('By <a href="#x">2.1</a> it holds.', "By 2.1 it holds."),
    "an equation": ('Eq. (<a href="#x">3</a>) holds.', "Eq. (3) holds."),
    "a year": ('Shown by Brook (<a href="#bib.1">2019</a>).', "Shown by Brook (2019)."),
    "publications in brackets": ('Shown [<a href="#b1">1</a>, <a href="#b2">2</a>].', "Shown [1, 2]."),
    "publications in an open bracket": ('[<a href="#b1">1</a>, two', "[[1], two"),
    "a table": ('See <a href="#t">Table 1</a>.', f"See [Table 1]({URL}#t)."),
    "a note after a space": ('Shown <a href="#x">4</a>.', "Shown [4]."),
    "a raised note after such a word": ('This section<sup><a href="#x">4</a></sup>', "This section[4]"),
    "a note directly behind such a word": ('At every step.<a href="#x">**</a>', "At every step.[\\*\\*]"),
    "a permalink in a caption": ('<figure><figcaption>A tower<a href="#f">#</a></figcaption></figure>', "A tower"),
    "a permalink in front": ('<a href="#f">§</a><code>size</code>', "`size`"),
    "a permalink before a title": ('<h2><span><a href="#m">◆&nbsp;</a></span>lay()</h2>', "## lay()"),
    "a link of one sign to elsewhere": ('See <a href="/b">#</a>', "See [#](https://docs.example/b)"),
}


@pytest.mark.parametrize(("html", "expected"), REFERENCES.values(), ids=REFERENCES.keys())
def test_local_references(html, expected):
    assert markdown(f"<p>{html}" if html[:2] not in ("<f", "<h") else html) == expected
