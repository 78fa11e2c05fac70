"""Well-formed BibTeX holds the same entries and fields for us as for bibtexparser."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bibliography.bibtex import BibtexReader

VALUES = st.sampled_from(
    [
        *(
            "{a b}",
            '"a b"',
            "{a {B} c}",
            '"a {B} c"',
            "2020",
            '{\\"o}',
            '"q {\\"u} r"',
            "{x, y = z}",
            "{100\\% \\{x\\}}",
        ),
        *("{}", '""', "{a # b}", "{foo@bar{x}}", "{two\nlines}", '{"}', '"say {"}so{"}"', "{https://a.example/?b=c&d}"),
    ]
)
BETWEEN = st.sampled_from(["", "\n", "prose\n", "% a comment\n", "@comment{over {here}}\n", "mail me@example.org\n"])


@st.composite
def documents(draw):
    written = ""
    for number in range(draw(st.integers(1, 4))):
        fields = [f"f{place} = {value}" for place, value in enumerate(draw(st.lists(VALUES, max_size=4)))]
        opening, closing = draw(st.sampled_from(["{}", "()"]))
        parted = draw(st.sampled_from([",", ", ", ",\n  "]))
        body = parted.join([f"key{number}", *fields]) + draw(st.sampled_from(["", ",", "\n"]))
        written += f"{draw(BETWEEN)}@{draw(st.sampled_from(['article', 'Misc']))}{opening}{body}{closing}\n"
    return written


def strip_braces(value):
    value = value.strip()
    return re.sub(r"\s+", " ", value[1:-1] if value[:1] in '{"' else value)


@settings(max_examples=300, deadline=None)
@given(documents())
def test_both_read_the_same(text):
    reader = BibtexReader(text)
    ours = [
        (raw.kind, raw.key, {name: re.sub(r"\s+", " ", value) for name, value in raw.fields.items()})
        for raw in reader.read_entries()
    ]
    from bibtexparser.splitter import Splitter

    library = Splitter(text).split()
    theirs = [
        (entry.entry_type.lower(), entry.key, {field.key.lower(): strip_braces(field.value) for field in entry.fields})
        for entry in library.entries
    ]
    assert reader.unread == []
    assert library.failed_blocks == []
    assert ours == theirs
