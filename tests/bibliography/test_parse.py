"""Bibliographies as people have them: three notations, many dialects, broken places."""

import json

import pytest

from assay.bibliography.notation import parse_bibliography
from assay.bibliography.person_names import Name
from assay.errors import InvalidInput


def one(text, **more):
    result = parse_bibliography(text, **more)
    [entry] = result.entries
    return entry


class TestBibtex:
    def test_an_article(self):
        entry = one(
            r"""
            @article{brook2025,
              author = {Brook, Ada and van der Berg, Jr., Jean-Paul and {Otter Society}},
              title = {{On Otters}: a {DNA} study},
              journal = "River News", volume = 3, number = {2}, pages = {1--10},
              year = 2025, month = mar, day = 4,
              doi = {https://doi.org/10.1000/ABC_1}, url = {https://a.example/~x_y%20}
            }"""
        )
        assert entry.kind == "article-journal"
        assert entry.title == "On Otters: a DNA study"
        assert entry.authors == (
            Name("Brook", "Ada"),
            Name("van der Berg", "Jean-Paul", "Jr."),
            Name("Otter Society"),
        )
        assert (entry.container, entry.volume, entry.issue, entry.pages) == ("River News", "3", "2", "1-10")
        assert (entry.date, entry.doi, entry.url) == ("2025-03-04", "10.1000/abc_1", "https://a.example/~x_y%20")
        assert (entry.key, entry.line, entry.number, entry.unread) == ("brook2025", 2, 1, ())

    @pytest.mark.parametrize(
        ("latex", "text"),
        [
            (r"Jos{\'e} Garc{\'\i}a", "José García"),
            (r"M{\"u}ller \& S{\o}n", "Müller & Søn"),
            (r"{\v{C}}ern\'y", "Černý"),
            (r"na\"{\i}ve \ss{} \l{}\'od\'z", "naïve ß łódź"),
            (r"\H{o} \c{c} \k{a} \u{g} \d{u} \r{a}", "ő ç ą ğ ụ å"),
            (r"S\~ao Tom\'{e}", "São Tomé"),
            (r"$\alpha$-decay of H$_2$O", "α-decay of H2O"),
            (r"10$^{-3}$ and 5\,kg", "10-3 and 5 kg"),
            (r"100\% of \emph{E. coli}", "100% of E. coli"),
            ("100% of it", "100% of it"),
            (r"foo -- bar---baz ``q''", "foo – bar—baz “q”"),
            (r"Proc.\ of the \textsc{Abc}", "Proc. of the Abc"),
            (r"a~b", "a b"),
            (r"C\# \$5 x\_y \{z\}", "C# $5 x_y {z}"),
            (r"\LaTeX{} in use", "LaTeX in use"),
            (r"\CYRM\cyro\cyrs\cyrk\cyrv\cyra", "Москва"),
            (r"\varnothing, \hbar, \textmu m, \textcent", "∅, ħ, µm, ¢"),
            (r"\ref{a} \frac{1}{2} \nosuchmacro x \today", "a 12 x"),
            (r"{{{Deep}}}", "Deep"),
            ("two\n  lines", "two lines"),
            (r"\unknown{stays}", "stays"),
            (r"ends in \'", "ends in"),
            (r"x\'{}y", "xy"),
            ("O'Brien", "O'Brien"),
        ],
    )
    def test_latex_is_plain_text(self, latex, text):
        assert one(f"@misc{{k, title = {{{latex}}}}}").title == text

    def test_macros_are_put_in_and_joined(self):
        entry = one(
            '@string{nat = "Nature"} @STRING(phys = {Physics})\n@article{k, title={x}, journal = NAT # " " # phys, month = 7,'
            " year = 19 # 99}"
        )
        assert (entry.container, entry.date) == ("Nature Physics", "1999-07")

    def test_an_unknown_macro_is_reported(self):
        entry = one("@article{k, title={x}, journal = nature}")
        assert entry.container == ""
        assert entry.unread == ("The macro 'nature' is not defined.",)

    @pytest.mark.parametrize(
        ("said", "name"),
        [
            ("Ada Brook", Name("Brook", "Ada")),
            ("Ludwig van Beethoven", Name("van Beethoven", "Ludwig")),
            ("van Beethoven, Ludwig", Name("van Beethoven", "Ludwig")),
            ("de la Fuente, Sr., Ana", Name("de la Fuente", "Ana", "Sr.")),
            ("{World Health Organization}", Name("World Health Organization")),
            ("{Barnes and Noble, Inc.}", Name("Barnes and Noble, Inc.")),
            ("Plato", Name("Plato")),
            (r"{\'E}variste Galois", Name("Galois", "Évariste")),
            (r"Paul Erd{\H{o}}s", Name("Erdős", "Paul")),
            ("{Jean {de}} Foo", Name("Foo", "Jean de")),
        ],
    )
    def test_names_are_taken_apart(self, said, name):
        assert one(f"@misc{{k, author = {{{said} and others}}}}").authors == (name,)

    def test_parentheses_quotes_comments_and_prose_between_are_understood(self):
        result = parse_bibliography(
            'Dear all, mail me@example.org\n@comment{@article{no, title={No}}}\n@preamble{"x" # y}\n'
            '@misc(a, title = "say {"}hi{"} (now)")\n% @misc{c}\n@MISC{b, TITLE = {B},}'
        )
        assert [entry.title for entry in result.entries if entry.title] == ['say "hi" (now)', "B"]

    def test_an_entry_without_a_key_is_read(self):
        assert one("@misc{title = {A}, year = 2020}").title == "A"
        assert one("@misc{, title = {A}}").title == "A"

    def test_an_entry_with_only_a_key_is_read(self):
        assert [entry.key for entry in parse_bibliography("@misc(a)\n@misc{b}@misc{c,}").entries] == ["a", "b", "c"]

    def test_a_book_part_has_what_its_book_has(self):
        result = parse_bibliography(
            "@inproceedings{a, title={Paper}, crossref={B}, author={X Y}}\n"
            "@proceedings{b, title={Proc}, year=2020, editor={E F}, publisher={P}, doi={10.1000/whole}}"
        )
        paper = result.entries[0]
        assert (paper.container, paper.date, paper.publisher, paper.doi) == ("Proc", "2020", "P", "")

    def test_a_book_part_with_a_year_keeps_it_whatever_date_its_book_has(self):
        own, book = parse_bibliography(
            "@incollection{a, title={Part}, crossref={b}, year=2003}\n@book{b, title={Book}, date={2002-03}}"
        ).entries
        assert (own.date, book.date) == ("2003", "2002-03")

    def test_entries_that_name_each_other_end(self):
        assert [
            entry.title
            for entry in parse_bibliography("@a{x, crossref={y}, title={X}}@a{y, crossref={x}, title={Y}}").entries
        ] == [
            "X",
            "Y",
        ]

    def test_addresses_are_found_where_people_put_them(self):
        assert one(r"@misc{k, howpublished = {\url{https://a.example/b_c}}}").url == "https://a.example/b_c"
        assert one("@misc{k, note = {Online at https://a.example/x.}}").url == "https://a.example/x"
        assert one("@misc{k, eprint = {2101.00001}, archivePrefix = {arXiv}}").url == "https://arxiv.org/abs/2101.00001"
        assert one("@misc{k, url = {https://doi.org/10.1000/X}}").doi == "10.1000/x"

    def test_one_broken_entry_does_not_take_others_with_it(self):
        result = parse_bibliography(
            "@misc{a, title={A}}\n@article{b, title={unclosed, year=2020\n\n@misc{c, title={C}}\n@misc{d, = }\n@misc{e, title={E}}"
        )
        assert [entry.title for entry in result.entries] == ["A", "", "C", "", "E"]
        assert [(output.line, output.reason) for output in result.unread] == [
            (2, "A brace is not closed."),
            (5, "A field is expected before '= }'."),
        ]
        assert result.entries[1].key == "b"
        assert result.entries[1].unread

    def test_what_was_read_before_the_break_stays(self):
        entry = one('@article{b, title={Whole}, doi={10.1000/x}, note="open')
        assert (entry.title, entry.doi) == ("Whole", "10.1000/x")
        assert entry.unread == ("A quotation mark is not closed.",)

    def test_a_year_in_words_is_found_and_a_false_one_is_not(self):
        assert one("@misc{k, year = {c. 1999a}}").date == "1999"
        assert one("@misc{k, year = {forthcoming}}").date == ""
        assert one("@misc{k, date = {2020-05-01/2020-06-01}}").date == "2020-05-01"
        assert one("@misc{k, date = {2020-13-41}}").date == "2020"

    def test_what_is_not_a_doi_is_reported(self):
        entry = one("@misc{k, doi = {n/a}, url = {the library}}")
        assert (entry.doi, entry.url) == ("", "")
        assert entry.unread == ("This is not a DOI: n/a", "This is not a web address: the library")

    def test_an_address_without_its_scheme_is_a_web_address(self):
        assert one("@misc{k, url = {www.example.org/a_(b)}}").url == "http://www.example.org/a_(b)"


class TestRis:
    def test_a_record(self):
        entry = one(
            "\ufeffTY  - JOUR\r\nAU  - Brook, Ada\r\nA1  - Society\r\nTI  - On otters\r\nT2  - River News\r\nJO  - RN\r\n"
            "PY  - 2025/03/04/spring\r\nVL  - 3\r\nIS  - 2\r\nSP  - 1\r\nEP  - 10\r\nDO  - doi:10.1000/X\r\n"
            "UR  - https://a.example/\r\nSN  - 1234-5678\r\nID  - k1\r\nKW  - otters\r\nN2  - Abstract\r\nER  - \r\n"
        )
        assert entry.kind == "article-journal"
        assert (entry.title, entry.container, entry.date) == ("On otters", "River News", "2025-03-04")
        assert entry.authors == (Name("Brook", "Ada"), Name("Society"))
        assert (entry.volume, entry.issue, entry.pages, entry.doi) == ("3", "2", "1-10", "10.1000/x")
        assert (entry.key, entry.line, entry.unread) == ("k1", 1, ())

    @pytest.mark.parametrize(
        ("lines", "date"),
        [
            ("PY  - 2020", "2020"),
            ("Y1  - 2020/05//", "2020-05"),
            ("PY  - 2020\nDA  - 2020/05/01/", "2020-05-01"),
            ("PY  - 2020\nDA  - 2021/05/01/", "2020"),
            ("DA  - 2020-05-01", "2020-05-01"),
            ("PY  - 2020///Spring", "2020"),
            ("PY  - in press", ""),
        ],
    )
    def test_dates_of_all_kinds(self, lines, date):
        assert one(f"TY  - JOUR\nTI  - x\n{lines}\nER  - ").date == date

    def test_values_go_on_in_the_next_line(self):
        assert one("TY  - JOUR\nTI  - On\n otters\nand more\nER  - ").title == "On otters and more"

    def test_titles_of_books_and_chapters(self):
        assert one("TY  - BOOK\nBT  - Whole\nER  - ").title == "Whole"
        chapter = one("TY  - CHAP\nTI  - Part\nBT  - Whole\nER  - ")
        assert (chapter.title, chapter.container, chapter.kind) == ("Part", "Whole", "chapter")

    def test_records_that_are_not_closed_and_lines_in_none_are_reported(self):
        result = parse_bibliography(
            "Provider: X\n\nTY  - JOUR\nTI  - A\nTY  - JOUR\nTI  - B\nER  - \nstray\nTY  - JOUR\nTI  - C"
        )
        assert [entry.title for entry in result.entries] == ["A", "B", "C"]
        assert [(entry.line, bool(entry.unread)) for entry in result.entries] == [(3, True), (5, False), (9, True)]
        assert [(output.line, output.text) for output in result.unread] == [(1, "Provider: X"), (8, "stray")]

    def test_lines_end_as_they_do_anywhere(self):
        for end in ("\n", "\r\n", "\r"):
            result = parse_bibliography(
                end.join(["", "TY  - JOUR", "TI  - A", "ER  - ", "TY  - JOUR", "TI  - B", "ER  - "])
            )
            assert [(entry.title, entry.line) for entry in result.entries] == [("A", 2), ("B", 5)]

    def test_a_hyphen_is_not_a_tag(self):
        assert one("TY  - JOUR\nTI  - A\nDNA - RNA\nER  - ").title == "A DNA - RNA"


class TestCslJson:
    def test_an_item(self):
        item = {
            "id": "k1",
            "type": "article-journal",
            "title": 'On <i>otters</i> &amp; <span style="font-variant:small-caps;">dna</span> a<b',
            "author": [
                {"family": "Beethoven", "given": "L", "non-dropping-particle": "van"},
                {"literal": "Society"},
                {"family": "King", "given": "M", "suffix": "Jr."},
            ],
            "issued": {"date-parts": [["2025", 3, "04"]]},
            "container-title": "River News",
            "DOI": "https://doi.org/10.1000/X",
            "URL": "https://a.example/",
            "page": "1–10",
            "volume": 3,
        }
        entry = one(json.dumps([item]))
        assert entry.title == "On otters &amp; dna a<b"
        assert entry.authors == (Name("van Beethoven", "L"), Name("Society"), Name("King", "M", "Jr."))
        assert (entry.date, entry.doi, entry.pages, entry.volume) == ("2025-03-04", "10.1000/x", "1-10", "3")
        assert (entry.key, entry.kind, entry.unread) == ("k1", "article-journal", ())

    @pytest.mark.parametrize(
        ("issued", "date"),
        [
            ({"date-parts": [[2020]]}, "2020"),
            ({"date-parts": [[2020, 13]]}, "2020"),
            ({"date-parts": [[None]]}, ""),
            ({"date-parts": []}, ""),
            ({"raw": "2020-05-01T00:00:00Z"}, "2020-05-01"),
            ({"literal": "2020/5"}, "2020-05"),
            ("2020-05", "2020-05"),
            (2020, "2020"),
            (True, ""),
            ([[2020]], ""),
        ],
    )
    def test_dates_of_all_kinds(self, issued, date):
        assert one(json.dumps([{"title": "x", "issued": issued}])).date == date

    def test_one_item_a_crossref_answer_and_a_stream_of_items_are_read(self):
        item = {
            "title": ["A"],
            "DOI": "10.1000/x",
            "container-title": ["J"],
            "published-print": {"date-parts": [[2001]]},
        }
        for text in (item, {"message": {"items": [item]}}, {"message": item}, {"items": [item]}):
            entry = one(json.dumps(text))
            assert (entry.title, entry.container, entry.date) == ("A", "J", "2001")
        assert len(parse_bibliography(json.dumps(item) + "\n" + json.dumps(item)).entries) == 2

    def test_what_is_not_as_it_should_be_is_reported_and_the_rest_read(self):
        text = (
            '[{"title": "A"},\n 7,\n {"title": {"x": 1}, "author": "Ada", "DOI": 5},\n {bad: 1},\n'
            ' {"title": "E", "author": [3, "Ada"]},\n {"title": "F"'
        )
        result = parse_bibliography(text)
        assert [entry.title for entry in result.entries] == ["A", "", "E"]
        assert result.entries[1].unread == (
            "title is not text.",
            "author is not a list of names.",
            "This is not a DOI: 5",
        )
        assert result.entries[2].authors == (Name("Ada"),)
        assert [output.line for output in result.unread] == [2, 4, 6, 6]

    def test_numbers_beyond_reason_do_no_harm(self):
        entry = one('[{"title": "x", "volume": 1e999, "issue": -0.0, "page": 123456789012345678901234567890123}]')
        assert entry.title == "x"
        assert parse_bibliography('[{"title": "x", "volume": ' + "9" * 5000 + "}]").unread


class TestFormats:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("[]", "csl-json"),
            ('\ufeff {"title": "x"}', "csl-json"),
            ("\nTY  - JOUR\nER  - ", "ris"),
            ("% mine\n@misc{k, title={TY  - JOUR}}", "bibtex"),
        ],
    )
    def test_a_format_is_recognized_by_its_first_characters(self, text, told):
        assert parse_bibliography(text).format == told

    @pytest.mark.parametrize("text", ["", "Brook, A. On otters.", "user@example.org", "<xml/>", "a,b\n1,2"])
    def test_other_texts_are_refused_with_what_is_read(self, text):
        with pytest.raises(InvalidInput, match="neither CSL-JSON"):
            parse_bibliography(text)

    def test_a_format_that_is_named_is_believed(self):
        result = parse_bibliography("[not bibtex]", "bibtex")
        assert (result.format, result.entries, result.total) == ("bibtex", (), 0)

    def test_entries_past_the_most_are_counted_only(self):
        for text in ("@misc{k,title={x}}\n" * 9, "TY  - JOUR\nTI  - x\nER  - \n" * 9, json.dumps([{"title": "x"}] * 9)):
            result = parse_bibliography(text, limit=4)
            assert (len(result.entries), result.total) == (4, 9)
