import json

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.forum_posts import extract_forum_signals

URL = "https://www.reddit.com/r/tea/comments/abc123/which_pot/"


def read(body, url=URL):
    result = extract_forum_signals(parse_html(f"<html><body>{body}</body></html>"), url)
    return result and result.wire()


def ld(value):
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


POST = {
    "@type": "DiscussionForumPosting",
    "datePublished": "2026-01-05T10:00:00.000Z",
    "author": {"@type": "Person", "name": "potfan_7"},
    "interactionStatistic": [
        {"interactionType": "https://schema.org/LikeAction", "userInteractionCount": 120},
        {"interactionType": {"@type": "CommentAction"}, "userInteractionCount": "14"},
    ],
}


def test_signals_are_read_from_json_ld():
    assert read(ld(POST)) == {
        "platform": "reddit",
        "upvotes": 120,
        "comments": 14,
        "datePublished": "2026-01-05T10:00:00Z",
        "authorName": "potfan_7",
    }


def test_signals_are_read_from_the_attributes_of_the_post():
    body = (
        '<shreddit-post score="4" comment-count="13" created-timestamp="2026-03-04T23:03:50.740000+0000" author="ann">'
        "</shreddit-post>"
    )
    result = read(body)
    assert (result["upvotes"], result["comments"], result["authorName"]) == (4, 13, "ann")
    assert result["datePublished"] == "2026-03-04T23:03:50+00:00"
    assert "Fewer than 20 votes" in result["credibilityNote"]


def test_signals_are_read_from_the_older_site():
    body = '<div data-score="1100" data-comments-count="52" data-timestamp="1767225600000" data-author="b">x</div>'
    result = read(body, "https://old.reddit.com/r/tea/comments/abc123/which_pot/")
    assert (result["upvotes"], result["comments"], result["datePublished"]) == (1100, 52, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    "url", ["https://reddit.com.evil.example/r/tea/comments/a/b", "https://www.reddit.com/r/tea/", "https://x.example/"]
)
def test_other_pages_have_none(url):
    assert read(ld(POST), url) is None


def test_a_page_without_a_post_has_none():
    assert read("<p>Nothing</p>") is None


@pytest.mark.parametrize("count", ["many", None, "9" * 40, "1e9"])
def test_a_count_that_is_not_a_number_is_nought(count):
    strange = POST | {"interactionStatistic": {"interactionType": "LikeAction", "userInteractionCount": count}}
    assert read(ld(strange))["upvotes"] == 0
