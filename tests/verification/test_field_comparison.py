"""The fields of citations are compared with records: what is cited rightly in any usual form, and what is not."""

import pytest
from tests.verification.citation_services import gold, printed

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.models.work_record import WorkRecord
from assay.net.provider_client import ProviderClient
from assay.verification.author_comparison import compare_names
from assay.verification.author_lists import compare_author_lists
from assay.verification.field_comparison import CitedFields, compare_fields
from assay.verification.number_comparison import compare_numbers, compare_pages
from assay.verification.title_comparison import compare_title_words
from assay.verification.venue_comparison import compare_places, compare_publishers, compare_venues

WORKS = [work for work in gold()["works"] if work["agency"] == "crossref" and not work["notice"]]
WORKS = [work for work in WORKS if len(work["authors"]) > 1 and work["doi"] not in gold()["down"]][:24]


@pytest.mark.parametrize(
    ("cited", "recorded"),
    [
        ("J. R. R. Ostrander", "Ostrander, John Ronald Reuel"),
        ("Ostrander JR", "John Ronald Ostrander"),
        ("Müller, K.", "Mueller, Karin"),
        ("Ludwig van Beethoven", "Beethoven, L."),
        ("de la Cruz, M.", "María De La Cruz"),
        ("Wang Xiaoming", "Xiaoming Wang"),
        ("王小明", "Wang, Xiaoming"),
        ("Толстой, Л.", "Tolstoy, L."),
        ("Jean-Paul Quist", "J.-P. Quist"),
        ("Tat-Seng Quill", "T. Quill"),
        ("O’Neill, Brigid", "O'Neill, B."),
        ("García Lorca, F.", "Federico García Lorca"),
        ("Dr. Ada Lindqvist", "Lindqvist, Ada"),
        ("Shcherbinsky, Yuri", "Щербинский, Юрий"),
        ("Щербинский Ю.", "Shcherbinskij, Ju."),
        ("Al-Husseini, Mohammed", "الحسيني, محمد"),
        ("Park, Jihoon", "박, 지훈"),
        ("Halkia, E.", "Χαλκιά, Ελένη"),
        ("Hargreaves, MA", "Mary-Ann Hargreaves"),
        ("Achterberg, WT", "Achterberg, Wendell T."),
        ("Щербинский, Ю", "Щербинский, Юрий"),
    ],
)
def test_forms_of_one_name_are_the_same(cited, recorded):
    assert compare_names(cited, recorded) == "same"
    assert compare_names(recorded, cited) == "same"


@pytest.mark.parametrize(
    ("cited", "recorded"),
    [("Kate Ostrander", "Katherine Ostrander"), ("Bob Quill", "Robert Quill"), ("Xiang Liu", "Xiangyang Liu")],
)
def test_nicknames_and_short_forms_are_variants(cited, recorded):
    assert compare_names(cited, recorded) == "variant"


@pytest.mark.parametrize(
    ("cited", "recorded"),
    [
        ("Dubrovkin, Gleb", "Щербинский, Юрий"),
        ("Kang, Hyunwoo", "김, 민준"),
        ("Wei Wang", "Jun Wang"),
        ("A. Quill", "B. Quill"),
        ("Ada Lindqvist", "Ada Berg"),
        ("Li, X.", "Liu, X."),
    ],
)
def test_other_persons_are_different(cited, recorded):
    assert compare_names(cited, recorded) == "different"


AUTHORS = ["Ada Lindqvist", "Wei Wang", "Hugo Vasterling", "Brigid O'Neill"]


@pytest.mark.parametrize(
    ("cited", "match"),
    [
        (["A. Lindqvist", "W. Wang", "H. Vasterling", "B. O'Neill"], "same"),
        (["Lindqvist A", "et al."], "truncated"),
        (["Ada Lindqvist", "Wei Wang", "Others"], "truncated"),
        (["Ada Lindqvist et al."], "truncated"),
        (["Wei Wang", "et al."], "different"),
        (["Ada Lindqvist", "Mara Tolliver", "et al."], "different"),
        (["Wei Wang", "Ada Lindqvist", "Hugo Vasterling", "Brigid O'Neill"], "different"),
        (["Ada Lindqvist", "Wei Wang", "Brigid O'Neill"], "different"),
        ([*AUTHORS, "Mara Tolliver"], "different"),
        ([], "unknown"),
    ],
)
def test_author_lists_are_compared_by_name_number_and_order(cited, match):
    assert compare_author_lists(cited, AUTHORS).match == match


def test_a_reason_that_ends_with_initials_has_one_period():
    recorded = ["Kucsko, G.", "Maurer, P. C."]
    assert compare_author_lists(recorded[:1], recorded).reason == "The record also lists Maurer, P. C."
    assert compare_author_lists(recorded, recorded[:1]).reason == "The record does not list Maurer, P. C."


def test_names_in_chinese_characters_are_compared_by_number_since_their_reading_is_unknown():
    names = ["長谷川, 大輔", "湿原, 太郎"]
    assert compare_author_lists(["Hasegawa, Daisuke", "Shitsugen, Taro"], names).match == "variant"
    assert compare_author_lists(["Hasegawa, Daisuke", "et al."], names).match == "variant"
    assert compare_author_lists(["Hasegawa, Daisuke", "Shitsugen, Taro", "Quist, Ada"], names).match == "different"


def test_a_collaboration_may_stand_for_its_members_and_a_partial_record_for_the_rest():
    assert compare_author_lists(["The Kiln Collaboration"], AUTHORS).match == "truncated"
    assert compare_author_lists([*AUTHORS, "Mara Tolliver"], AUTHORS, recorded_is_partial=True).match == "same"


@pytest.mark.parametrize(
    ("cited", "recorded", "relation"),
    [
        ("Colour vision of the herring gull", "Color Vision of the Herring Gull", "same"),
        ("Deep-water corals: a survey", "Deep water corals — A survey", "same"),
        ("Über die Größe der Moore", "Uber die Groesse der Moore", "same"),
        ("Tides &amp; <i>Zostera</i> meadows", "Tides and Zostera meadows", "same"),
        ("{D}eep {L}earning of $x$", "Deep learning of x", "same"),
        ("Quantificaton of moorland peat", "Quantification of moorland peat", "same"),
        ("Moorland peat after drainage", "Moorland peat after drainage: forty years of records", "shortened"),
        ("Bidirectional flow of moorland water", "Unidirectional flow of moorland water", "changed"),
        ("An increase of moorland peat", "A decrease of moorland peat", "changed"),
        ("Peat does not burn under shade", "Peat does burn under shade", "changed"),
        ("Type 2 diabetes in herders", "Type 1 diabetes in herders", "changed"),
        ("Peat drainage effects", "Knitted bandages of the coast", "different"),
        ("Moor", "Mohr", "different"),
        ("葦原の水車の後期利用に関する研究", "葦原の水車の初期利用に関する研究", "changed"),
        ("白鹭湾沿岸蜜蜂的单向迁移", "白鹭湾沿岸蜜蜂的双向迁移", "changed"),
        ("Состояние болот ухудшилось", "Состояние болот не ухудшилось", "changed"),
        ("", "Moor", "unknown"),
    ],
)
def test_titles_are_compared_word_by_word(cited, recorded, relation):
    assert compare_title_words(cited, recorded).relation == relation
    assert compare_title_words(recorded, cited).relation == relation


@pytest.mark.parametrize(
    ("cited", "recorded", "match"),
    [
        ("ACL", "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics", "same"),
        ("NIPS", "Advances in Neural Information Processing Systems 33", "same"),
        ("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences", "same"),
        ("J. Appl. Moorl.", "Journal of Applied Moorland", "same"),
        ("N Engl J Med", "New England Journal of Medicine", "same"),
        ("ArgMining@EMNLP", "Findings of the Association for Computational Linguistics: EMNLP 2020", "same"),
        ("ICML", "Proceedings of the AAAI Conference on Artificial Intelligence", "different"),
        ("Nature", "Science", "different"),
        ("Annals of Slow Science", "River Letters", "different"),
        ("Lecture Notes in Computer Science", "European Conference on Computer Vision", "unknown"),
        ("XQZW", "River Letters", "unknown"),
        ("深海冶金通报", "静水研究", "different"),
    ],
)
def test_venues_are_compared_in_all_their_forms(cited, recorded, match):
    assert compare_venues(cited, recorded) == match
    assert compare_venues(recorded, cited) == match


@pytest.mark.parametrize(
    ("compare", "cited", "recorded", "match"),
    [
        (compare_publishers, "IEEE", "Institute of Electrical and Electronics Engineers (IEEE)", "same"),
        (compare_publishers, "Springer", "Palgrave Macmillan", "same"),
        (compare_publishers, "Springer", "Elsevier BV", "different"),
        (compare_publishers, "Small House", "Other Cottage", "unknown"),
        (compare_places, "Toronto, Canada", "Toronto, ON", "same"),
        (compare_places, "London, UK", "Dublin, Ireland", "different"),
        (compare_pages, "123–30", "123-130", "same"),
        (compare_pages, "125", "123-130", "same"),
        (compare_pages, "1-1", "2204-2212", "unknown"),
        (compare_pages, "17-29", "123-130", "different"),
        (compare_pages, "e1004", "1004", "same"),
        (compare_numbers, "XLII", "42", "same"),
        (compare_numbers, "12", "21", "different"),
        (compare_numbers, "abs/2101.00001", "12", "unknown"),
    ],
)
def test_numbers_publishers_and_places_are_compared_by_what_they_denote(compare, cited, recorded, match):
    assert compare(cited, recorded) == match


def test_a_field_is_a_mismatch_only_where_every_record_that_has_it_disagrees():
    records = [
        WorkRecord("one", ("Peat",), years=frozenset({2012}), volume="3"),
        WorkRecord("other", ("Peat",), years=frozenset({2019})),
    ]
    report = compare_fields(CitedFields(title="Peat", year="2019", volume="4", pages="7"), records)
    assert [(each.field, each.outcome, each.source) for each in report.findings] == [
        ("title", "match", "one"),
        ("year", "match", "other"),
        ("volume", "mismatch", "one"),
        ("pages", "unverified", ""),
    ]
    assert report.codes == ("H6",)


@pytest.mark.parametrize(
    ("year", "outcome"), [("2021", "match"), ("2019", "match"), ("2020", "variant"), ("2018", "mismatch")]
)
def test_the_year_of_the_preprint_is_right_as_well(year, outcome):
    record = WorkRecord("one", ("Peat",), years=frozenset({2021}), arxiv_ids=frozenset({"1905.00001"}))
    assert compare_fields(CitedFields(year=year), [record]).findings[0].outcome == outcome


@pytest.fixture
def environ(environ, world):
    return environ | world.environ


@pytest.fixture
def audit(services, world):
    services.http = ProviderClient(services.settings, pause=0)

    async def audit(entries):
        bibliography = "\n".join(to_bibtex(index, entry) for index, entry in enumerate(entries))
        reply = await invoke("audit_bibliography", {"bibliography": bibliography}, Context(services, Caller()))
        assert reply.error is None, reply.error
        return reply.wire

    return audit


def fields_of(work, **changed):
    authors = " and ".join(f"{family}, {arguments}" for arguments, family in work["authors"])
    fields = {"author": authors, "title": work["title"], "journal": work["journal"], "year": str(work["year"])}
    in_print = printed(work)
    fields |= {"volume": in_print["volume"], "pages": in_print["page"], "publisher": in_print["publisher"]}
    return fields | {"doi": work["doi"]} | changed


def to_bibtex(index, fields):
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@article{{k{index},\n{lines}\n}}"


@pytest.mark.parametrize("doi", [True, False])
async def test_entries_cited_as_recorded_have_no_flag(audit, doi):
    result = await audit([fields_of(work, **({} if doi else {"doi": ""})) for work in WORKS])
    assert [entry["flags"] for entry in result["entries"]] == [[]] * len(WORKS)
    assert {code for entry in result["entries"] for code in entry["codes"]} <= {"R1", "R2"}


@pytest.mark.parametrize("doi", [True, False])
@pytest.mark.parametrize(
    ("changes", "flag", "code"),
    [
        (lambda work: {"author": "Tolliver, Mara and Okafor, Jude"}, "author_mismatch", "H2"),
        (lambda work: {"author": fields_of(work)["author"] + " and Tolliver, Mara"}, "author_mismatch", "H2"),
        (
            lambda work: {"author": " and ".join(reversed(fields_of(work)["author"].split(" and ")))},
            "author_mismatch",
            "H2",
        ),
        (lambda work: {"journal": "Nature"}, "venue_mismatch", "H3"),
        (lambda work: {"year": str(work["year"] - 3)}, "year_mismatch", "H4"),
        (lambda work: {"volume": "977"}, "volume_mismatch", "H6"),
        (lambda work: {"pages": "9001-9010"}, "pages_mismatch", "H6"),
        (lambda work: {"publisher": "Elsevier"}, "publisher_mismatch", "H6"),
    ],
)
async def test_an_error_in_one_field_is_flagged_with_both_values(audit, doi, changes, flag, code):
    entries = [fields_of(work, **({} if doi else {"doi": ""}), **changes(work)) for work in WORKS]
    result = await audit(entries)
    for entry in result["entries"]:
        assert entry["flags"] == [flag], entry
        assert entry["codes"] == [code]
        wrong = [each for each in entry["fields"] if each["outcome"] == "mismatch"]
        assert all(each["cited"] and each["recorded"] and each["source"] for each in wrong)
    assert result["summary"]["fieldMismatch"] == len(WORKS)


async def test_a_wrong_doi_of_a_known_work_is_flagged_as_the_identifier(audit):
    others = [*WORKS[1:], WORKS[0]]
    wrong = await audit([fields_of(work, doi=other["doi"]) for work, other in zip(WORKS, others, strict=True)])
    assert {tuple(entry["flags"]) for entry in wrong["entries"]} == {("identifier_mismatch",)}
    missing = await audit([fields_of(work, doi=f"10.71234/none.{at}") for at, work in enumerate(WORKS)])
    assert {tuple(entry["flags"]) for entry in missing["entries"]} == {("identifier_mismatch", "not_found")}
    assert {tuple(entry["codes"]) for entry in missing["entries"]} == {("H5",)}


async def test_an_author_list_that_ends_in_others_is_not_a_mismatch(audit):
    entries = [fields_of(work, author=fields_of(work)["author"].split(" and ")[0] + " and others") for work in WORKS]
    result = await audit(entries)
    assert {tuple(entry["flags"]) for entry in result["entries"]} == {()}
