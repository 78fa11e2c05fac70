"""Near-duplicates and the best of each group, by the path that every caller takes."""

import itertools
import random

import pytest
from tests.support.processor_time import assert_quick_call

WORDS = [f"word{n}" for n in range(3_000)]


def article(seed: int, words: int = 60) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def replace_words(text: str, every: int) -> str:
    return " ".join(f"other{n}" if n % every == 0 else word for n, word in enumerate(text.split()))


@pytest.fixture
def rank(ask):
    async def rank(*docs: dict, **more):
        reply = await ask("dedupe_rank", docs=[{"id": f"d{n:04}", **doc} for n, doc in enumerate(docs)], **more)
        assert reply.error is None, reply.error
        return reply.wire["groups"]

    return rank


def members(groups) -> list[list[str]]:
    return [group["members"] for group in groups]


async def test_two_wordings_of_a_title_belong_together(rank):
    groups = await rank({"title": "Guide to otters"}, {"title": "Otters: the guide"}, {"title": "River stones"})
    assert members(groups) == [["d0000", "d0001"], ["d0002"]]
    assert groups[0]["score"] > 0
    assert groups[1] == {"representative_id": "d0002", "members": ["d0002"], "score": 0}


async def test_a_topic_alone_makes_no_duplicates(rank):
    groups = await rank(
        {"title": "Otters in spring", "text": "Otters build holts beside fast rivers when the snow melts."},
        {"title": "Spring otter holts", "text": "Otters build holts beside fast rivers in snow melt."},
        {"title": "Beavers", "text": "Beavers build dams beside rivers."},
    )
    assert members(groups) == [["d0000", "d0001"], ["d0002"]]


@pytest.mark.parametrize("every", [20, 10, 7])
async def test_a_long_text_is_known_again_when_some_words_changed(rank, every):
    groups = await rank(*({"text": text} for n in range(40) for text in (article(n), replace_words(article(n), every))))
    assert members(groups) == [[f"d{n:04}", f"d{n + 1:04}"] for n in range(0, 80, 2)]


async def test_long_texts_of_the_same_words_in_another_order_are_not_duplicates(rank):
    words = article(1).split()
    groups = await rank({"text": " ".join(words)}, {"text": " ".join(sorted(words))})
    assert len(groups) == 2


async def test_likeness_passes_on(rank):
    one = article(1, 90).split()
    chain = [" ".join(one[:60]), " ".join(one[15:75]), " ".join(one[30:90])]
    assert members(await rank(*({"text": text} for text in chain))) == [["d0000", "d0001", "d0002"]]


SCRIPTS = [
    ("東京の天気予報", "東京の明日の天気予報", "北京烤鸭的做法"),
    ("今天北京天气很好", "今天的北京天气很好", "上海股市大跌"),
    ("Погода в Москве на завтра", "погода в москве: завтра", "Рецепт борща со сметаной"),
    ("Ο καιρός στην Αθήνα αύριο", "ο καιρός αύριο στην αθήνα", "Συνταγή για μουσακά"),
    ("حالة الطقس في القاهرة", "الطقس في القاهرة", "طريقة عمل الكشري"),
    ("तूफ़ान की चेतावनी मुंबई", "मुंबई तूफ़ान की चेतावनी", "दाल पकाने का तरीका"),
    ("พยากรณ์อากาศกรุงเทพ", "พยากรณ์อากาศกรุงเทพวันนี้", "สูตรแกงเขียวหวาน"),
    ("서울 내일 날씨 예보", "내일 서울 날씨", "김치찌개 만드는 법"),
    ("מזג האוויר בתל אביב", "מזג האוויר תל אביב", "מתכון לשקשוקה"),
    ("ＯＴＴＥＲＳ　ａｎｄ　ｓｔｏｎｅｓ", "otters & stones", "river news"),
    ("🦦🦦", "🦦🦦", "🐟"),
    ("Straße", "STRASSE", "Gasse"),
]


@pytest.mark.parametrize("texts", SCRIPTS)
async def test_every_script_is_distinguished_and_found_again(rank, texts):
    assert members(await rank(*({"title": text} for text in texts))) == [["d0000", "d0001"], ["d0002"]]


async def test_long_texts_of_an_unparted_script_are_distinguished_too(rank):
    def text(start: int) -> str:
        return "".join(chr(0x4E00 + (start * 397 + n * 31) % 5000) for n in range(80))

    docs = [text(1), text(1)[:60] + text(3)[:20], text(2)]
    assert members(await rank(*({"text": text} for text in docs))) == [["d0000", "d0001"], ["d0002"]]


async def test_documents_without_text_are_like_no_other(rank):
    assert len(await rank({}, {"title": ""}, {"text": "  \n"}, {"title": "Otters"})) == 4


async def test_one_document_stands_alone(rank):
    assert await rank({"text": "hello"}) == [{"representative_id": "d0000", "members": ["d0000"], "score": 0}]


async def test_who_says_most_speaks_for_the_group(rank):
    groups = await rank(
        {"title": "Otters hold hands"}, {"title": "Otters hold hands asleep afloat"}, {"title": "otters hold hands"}
    )
    assert groups[0]["representative_id"] == "d0001"


async def test_of_equals_the_smallest_id_speaks(ask):
    docs = [{"id": name, "text": "the same text"} for name in ("b", "a10", "a9")] + [{"id": "z", "text": "another"}]
    groups = (await ask("dedupe_rank", docs=docs)).wire["groups"]
    assert groups[0]["representative_id"] == "a10"
    assert groups[0]["members"] == ["a10", "a9", "b"]


async def test_groups_are_ordered_by_who_speaks_for_them(ask):
    docs = [{"id": name, "text": text} for name, text in (("c", "one"), ("a", "two"), ("b", "three"), ("B", "four"))]
    groups = (await ask("dedupe_rank", docs=docs)).wire["groups"]
    assert [group["representative_id"] for group in groups] == ["B", "a", "b", "c"]


async def test_ids_may_be_missing_or_repeated(ask):
    docs = [
        {"text": "otters"},
        {"id": "a", "text": "stones"},
        {"id": "a", "text": "stones"},
        {"id": None, "text": "sea"},
    ]
    assert sorted(members((await ask("dedupe_rank", docs=docs)).wire["groups"])) == [[""], [""], ["a", "a"]]


class TestHints:
    DOCS = (
        {"title": "Otters hold hands asleep afloat", "url": "https://blog.example/otters"},
        {"title": "Otters hold hands", "url": "https://www.nature.example/otters"},
    )

    async def test_without_hints_the_text_decides(self, rank):
        assert (await rank(*self.DOCS, {"title": "x"}))[0]["representative_id"] == "d0000"

    async def test_a_weighty_host_speaks(self, rank, environ, services):
        environ["AUTHORITY_HINTS_JSON"] = '{"nature.example": 5}'
        assert (await rank(*self.DOCS, {"title": "x"}))[0]["representative_id"] == "d0001"

    async def test_the_longest_domain_counts(self, rank, environ, services):
        environ["AUTHORITY_HINTS_JSON"] = '{"nature.example": 5, "www.nature.example": 0.1, "ture.example": 9}'
        assert (await rank(*self.DOCS, {"title": "x"}))[0]["representative_id"] == "d0000"

    @pytest.mark.parametrize("wrong", ["not json", "[]", '{"a": "b"}', '{"a": -1}', '{"a": 1e999}', '{"": 1}', "5"])
    async def test_wrong_hints_are_named(self, ask, environ, services, wrong):
        environ["AUTHORITY_HINTS_JSON"] = wrong
        error = (await ask("dedupe_rank", docs=[{"id": "a", "text": "x"}])).error
        assert error.kind == "config"
        assert error.field == "AUTHORITY_HINTS_JSON"


async def test_the_same_question_has_the_same_answer_whatever_the_order(ask):
    docs = [{"id": f"{n}", "text": replace_words(article(n % 7), 5 + n % 11)} for n in range(21)]
    docs += [
        {"id": f"t{n}", "title": f"Otters and {word} stones"} for n, word in enumerate(["two", "ten", "two", "old"])
    ]
    answers = set()
    for shuffle in range(6):
        random.Random(shuffle).shuffle(docs)
        answers.add(str((await ask("dedupe_rank", docs=docs)).wire))
    assert len(answers) == 1


async def test_two_thousand_documents_take_a_moment(rank):
    docs = [{"text": article(n)} for n in range(2_000)]
    groups = await assert_quick_call(lambda: rank(*docs), 4)
    assert len(groups) == 2_000


@pytest.mark.parametrize(
    "texts",
    [
        [f"the same long text {'about otters and rivers ' * 6} number {n}" for n in range(3_000)],
        ["the very same words"] * 5_000,
        [" ".join(pick) for pick in itertools.islice(itertools.permutations(WORDS[:9], 5), 5_000)],
        ["", " ", "\n"] * 1_000,
        ["x" * 100_000, "y " * 100_000, "漢" * 100_000],
    ],
    ids=["near", "equal", "shuffled", "blank", "long"],
)
async def test_hostile_crowds_cost_no_square(rank, texts):
    await assert_quick_call(lambda: rank(*({"text": text} for text in texts)), 5)


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        ({}, "missing docs", "provide docs: [{id,title?,text?,url?,published_at?}]"),
        ({"docs": []}, "missing docs", "provide docs: [{id,title?,text?,url?,published_at?}]"),
        ({"docs": None}, "missing docs", "provide docs: [{id,title?,text?,url?,published_at?}]"),
        ({"docs": [{"id": "a"}] * 5_001}, "too many docs: limit 5000", None),
        ({"docs": "text"}, "docs: input should be a valid list", "invalid JSON input for dedupe_rank"),
    ],
)
async def test_a_wrong_argument_is_told_to_the_letter(ask, arguments, said, hint):
    error = (await ask("dedupe_rank", **arguments)).error
    assert (error.kind, error.message, error.hint) == ("validation", said, hint)


@pytest.mark.parametrize("docs", [[5], ["text"], [None], [[{}]], [{"id": "a", "text": {"b": 1}}]])
async def test_a_document_of_another_kind_is_refused(ask, docs):
    assert (await ask("dedupe_rank", docs=docs)).error.kind == "validation"
