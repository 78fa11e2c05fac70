"""What stays together whatever the scores: terms and definitions, lists and their lead-ins, questions and answers."""

import pytest
from tests.html.reader.test_main_content import LONG, URL

from assay.html.parser.html_tree import parse_html
from assay.html.reader.block_classifier import TreeEnsemble
from assay.html.reader.main_content import read_main_content


class FixedScores(TreeEnsemble):
    """A model that gives the blocks of a page these scores in turn."""

    def __init__(self, scores: list[float]) -> None:
        self.scores = scores

    def probabilities(self, rows, shared) -> list[float]:
        assert len(rows) == len(self.scores)
        return self.scores


AGES = " ".join(["They are as old as the marsh."] * 9)  # too long for a gap between two certain texts

FIGURE = '<figure><img src="/a.jpg" alt="A hunting heron"><figcaption>Waiting at dawn</figcaption></figure>'

PAIRS = {
    "a definition without its term": ("<dl><dt>Length<dd>98 cm</dl>", [0.05, 0.95], "**Length**\n: 98 cm"),
    "a term without its definition": ("<dl><dt>Length<dd>98 cm</dl>", [0.95, 0.05], "**Length**\n: 98 cm"),
    "neither of them": ("<dl><dt>Length<dd>98 cm</dl>", [0.05, 0.05], ""),
    "a long definition": (f"<dl><dt>Length<dd>{'word ' * 61}</dl>", [0.95, 0.05], "**Length**"),
    "a list that is announced": (
        "<p>The parts are:</p><ul><li>Head<li>Neck</ul>",
        [0.95, 0.05, 0.05],
        "The parts are:\n\n- Head\n- Neck",
    ),
    "a list that is not announced": (
        "<p>They have parts.</p><ul><li>Head<li>Neck</ul>",
        [0.95, 0.05, 0.05],
        "They have parts.",
    ),
    "a list of links": (
        "<p>Read on:</p><ul><li><a href=/a>Head</a><li><a href=/b>Neck</a></ul>",
        [0.95, 0.05, 0.05],
        "Read on:",
    ),
    "a question whose answer is kept": (
        "<div><button>How old are they?</button><div>They are as old as the marsh is.</div></div>",
        [0.05, 0.95],
        "How old are they?\n\nThey are as old as the marsh is.",
    ),
    "a control that asks nothing": (
        "<div><button>Show more</button><div>They are as old as the marsh is.</div></div>",
        [0.05, 0.95],
        "They are as old as the marsh is.",
    ),
    "who is quoted": (
        "<blockquote><div>Ann said:</div><p>They are as old as the marsh.</blockquote>",
        [0.05, 0.95],
        "> Ann said:\n>\n> They are as old as the marsh.",
    ),
    "who is quoted, above the quotation": (
        '<aside class="quote" data-username="ann"><div>ann:</div><blockquote>They are as old as the marsh.</blockquote></aside>',
        [0.05, 0.95],
        "ann:\n\n> They are as old as the marsh.",
    ),
    "a quotation of which much is left out": (
        f"<blockquote><p>They are as old as the marsh.<p>{AGES}</blockquote>",
        [0.95, 0.05],
        "> They are as old as the marsh.",
    ),
    "who is quoted, in a box of a forum that writes quotations as divisions": (
        f'<div class="bbcode_quote"><div>Ann said:</div><p>{AGES}</p></div>',
        [0.05, 0.85],
        f"> Ann said:\n>\n> {AGES}",
    ),
    "who is quoted, in an aside": (
        '<aside data-username="ann"><div>ann:</div><p>They are as old as the marsh.</p></aside>',
        [0.05, 0.95],
        "ann:\n\nThey are as old as the marsh.",
    ),
    "who is quoted, in a box around an aside": (
        '<div class="quotebox"><div>Ann said:</div><aside>They are as old as the marsh.</aside></div>',
        [0.05, 0.95],
        "Ann said:\n\nThey are as old as the marsh.",
    ),
    "what an aside holds beside its text": (
        "<aside><div>Ann said:</div><p>They are as old as the marsh.</p></aside>",
        [0.05, 0.95],
        "They are as old as the marsh.",
    ),
    "a picture with its caption, in a box": (
        '<div class="wp-caption"><img src="/a.jpg" alt="A hunting heron"><p>Waiting at dawn</p></div>',
        [0.0, 0.1],
        "![A hunting heron](https://birds.example/a.jpg)\n\nWaiting at dawn",
    ),
    "a button beside pictures with captions": (
        f"<figure><button>View all</button>{FIGURE}</figure>",
        [0.05, 0.0, 0.1],
        "![A hunting heron](https://birds.example/a.jpg)\n\nWaiting at dawn",
    ),
    "a video between paragraphs": (
        '<iframe src="https://player.vimeo.com/video/12" title="Herons at dawn"></iframe>',
        [0.0],
        "[Herons at dawn](https://vimeo.com/12)",
    ),
    "a heading above a credit": (
        f"<h3>Their age</h3><div>Photo: Marsh</div><p>{AGES}</p>",
        [0.45, 0.05, 0.85],
        f"### Their age\n\n{AGES}",
    ),
    "a heading above a text that is left out": (
        "<h3>Their age</h3><div>Read the newsletter that we write about the marsh.</div><p>They are as old as the marsh.</p>",
        [0.12, 0.05, 0.95],
        "They are as old as the marsh.",
    ),
    "a heading above a heading and a credit": (
        f"<h2>Herons</h2><h3>Their age</h3><div>Photo: Marsh</div><p>{AGES}</p>",
        [0.45, 0.3, 0.05, 0.85],
        f"## Herons\n\n{AGES}",
    ),
    "a heading above a long text that is left out": (
        f"<h3>Their age</h3><div>Read the newsletter that we write about the marsh.</div><p>{AGES}</p>",
        [0.45, 0.05, 0.85],
        AGES,
    ),
    "a call to share beside a less certain text": (
        f"<div class=share>Pass it on</div><p>{AGES}</p>",
        [0.7, 0.85],
        f"Pass it on\n\n{AGES}",
    ),
    "a long text in a box to share": (f"<div class=share>{AGES}</div>", [0.7], AGES),
    "code in a box to share": ("<div class=share><pre>embed()</pre></div>", [0.7], "```\nembed()\n```"),
    "a call to share": ("<div class=share>Pass it on</div>", [0.7], ""),
    "a heading that is there twice": (
        "<h3>Their age</h3><div><h3>Their age</h3></div><p>They are as old as the marsh.</p>",
        [0.95, 0.95, 0.95],
        "### Their age\n\nThey are as old as the marsh.",
    ),
}


@pytest.mark.parametrize(("html", "scores", "expected"), PAIRS.values(), ids=PAIRS.keys())
def test_parts_of_a_whole_stay_together(html, scores, expected):
    before, after = LONG[:20], LONG[20:40]
    page = parse_html(f"<main>{''.join(before)}{html}{''.join(after)}</main>")
    model = FixedScores([0.95] * len(before) + scores + [0.95] * len(after))
    markdown = read_main_content(page, URL, model).markdown
    first, last = before[-1].strip("</p>"), after[0].strip("</p>")
    between = markdown[markdown.index(first) + len(first) : markdown.index(last)]
    assert between.strip() == expected


@pytest.mark.parametrize(("before", "is_lead"), [("", True), ("<p>Marsh.</p>", False)])
def test_only_the_first_words_of_an_element_lead_in(before, is_lead):
    page = parse_html(f"<main>{before}<p>Breaking.</p>{''.join(LONG[:20])}</main>")
    scores = [0.05] * (1 + bool(before)) + [0.95] * 20
    assert read_main_content(page, URL, FixedScores(scores)).markdown.startswith("Breaking.") == is_lead


def test_a_note_adds_no_heading_above_a_picture():
    mark = '<p>They are grey.<a href="#n1">1</a></p>'
    inside = f'<div><h2>Herons</h2><div><img src="/a.jpg" alt="Dusk"><h3>Their age</h3></div>{AGES}</div>'
    note = '<div id="n1">Counted in the marsh.</div>'
    page = parse_html(f"<main>{mark}{''.join(LONG[:20])}{inside}{''.join(LONG[20:40])}{note}</main>")
    scores = [0.95] * 21 + [0.2, 0.0, 0.85, 0.05] + [0.95] * 20 + [0.05]
    markdown = read_main_content(page, URL, FixedScores(scores)).markdown
    assert "grey.[1]" in markdown
    assert markdown.endswith("Counted in the marsh.")
    assert "![Dusk](https://birds.example/a.jpg)\n\n### Their age" in markdown
    assert "## Herons" not in markdown


def test_cards_that_a_page_has_twice_are_read_once():
    birds = {
        "Egret of the lake": "Tall, white and patient.",
        "Bittern of the reeds": "Slim, brown and rare.",
        "Stork of the roof": "Small and late.",
    }
    cards = "".join(f"<div><h3>{name}</h3><p>{text}</p></div>" for name, text in birds.items())
    page = parse_html(f"<main>{''.join(LONG[:12])}<div>{cards}</div><div>{cards}</div>{''.join(LONG[12:24])}</main>")
    markdown = read_main_content(page, URL, FixedScores([0.95] * 36)).markdown
    assert [markdown.count(text) for text in (*birds, *birds.values())] == [1] * 6


TEXT = "Herons wait for hours in the shallow water at dawn. " * 40


def labelled(*pairs, tag="div"):
    inner = "".join(f"<{tag} class=spec><div>{label}</div><div>{value}</div></{tag}>" for label, value in pairs)
    return f"<body><main><p>{TEXT}</p><section>{inner}</section><p>{TEXT}</p></main>"


LABELS = {
    "of properties": ((("Weight", "56 g"), ("Life", "150 hours")), [0.4, 0.9] * 2, True),
    "of one property": ((("Weight", "56 g"),), [0.4, 0.9], False),
    "that are the same": ((("Icon", "56 g"), ("Icon", "150 hours")), [0.4, 0.9] * 2, False),
    "that are hardly content": ((("Weight", "56 g"), ("Life", "150 hours")), [0.1, 0.9] * 2, False),
    "that the values repeat": ((("56", "56 g"), ("150", "150 hours")), [0.4, 0.9] * 2, False),
    "that are prices": ((("$56", "$49"), ("$15", "$14")), [0.4, 0.9] * 2, False),
    "that lead elsewhere": ((("<a href=/a>Weight</a>", "56 g"), ("<a href=/b>Life</a>", "150")), [0.4, 0.9] * 2, False),
    "of sentences": ((("Weight", TEXT), ("Life", TEXT)), [0.4, 0.9] * 2, False),
    "of values that are left out": ((("Weight", "56 g"), ("Life", "150 hours")), [0.4, 0.1] * 2, False),
}


@pytest.mark.parametrize(("pairs", "scores", "is_read"), LABELS.values(), ids=LABELS)
def test_labels_are_read_with_their_values(pairs, scores, is_read):
    markdown = read_main_content(parse_html(labelled(*pairs)), URL, FixedScores([0.8, *scores, 0.8])).markdown
    label = pairs[0][0].removeprefix("<a href=/a>").removesuffix("</a>")
    assert any(line.startswith(label) and "56 g" not in line for line in markdown.split("\n")) == is_read


def test_two_texts_of_a_larger_box_are_no_label_and_value():
    page = parse_html(labelled(("Weight", "56 g</div><div>new"), ("Life", "150 hours</div><div>new")))
    scores = [0.8, *[0.4, 0.9, 0.9] * 2, 0.8]
    assert "Weight" not in read_main_content(page, URL, FixedScores(scores)).markdown


def steps(*numbers):
    return "".join(
        f"<div><div class=circle>{number}</div><h3>{title}</h3><p>{TEXT}</p></div>"
        for number, title in zip(numbers, ("Wade", "Wait", "Strike"), strict=False)
    )


@pytest.mark.parametrize("score", [0.1, 0.9])
@pytest.mark.parametrize("numbers", [("1", "2", "3"), ("01", "02", "03"), ("Step 1", "Step 2", "Step 3")])
def test_the_numbers_of_steps_stand_in_their_headings(numbers, score):
    page = parse_html(f"<body><main>{steps(*numbers)}</main>")
    markdown = read_main_content(page, URL, FixedScores([score, 0.9, 0.9] * 3)).markdown
    headings = [line for line in markdown.split("\n") if len(line) < 20 and line]
    assert headings == ["### 1. Wade", "### 2. Wait", "### 3. Strike"]


@pytest.mark.parametrize(
    "numbers", [("1", "2"), ("5", "20", "18"), ("7", "8", "9"), ("1", "20", "40"), ("1", "1", "2")]
)
def test_other_numbers_above_headings_are_no_part_of_them(numbers):
    page = parse_html(f"<body><main>{steps(*numbers)}</main>")
    markdown = read_main_content(page, URL, FixedScores([0.1, 0.9, 0.9] * len(numbers))).markdown
    assert "### Wade" in markdown.split("\n")
