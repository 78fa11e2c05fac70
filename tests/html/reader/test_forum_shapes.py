"""Interaction counters of a forum post in every shape that pages use."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.html.parser.html_tree import parse_html
from assay.html.reader.forum_posts import extract_forum_signals

URL = "https://www.reddit.com/r/otters/comments/1abc2d/x/"
LIKES = {
    "@type": "InteractionCounter",
    "interactionType": "https://schema.org/LikeAction",
    "userInteractionCount": 1234,
}
TALK = {"@type": "InteractionCounter", "interactionType": {"@type": "CommentAction"}, "userInteractionCount": "56"}
POSTING = {
    "@type": "DiscussionForumPosting",
    "datePublished": "2025-01-02T03:04:05Z",
    "author": {"@type": "Person", "name": "ada"},
    "interactionStatistic": [LIKES, TALK],
}


def signals(posting, url=URL):
    block = json.dumps({"@context": "https://schema.org", "@graph": [{"@type": "WebPage"}, posting]})
    return extract_forum_signals(parse_html(f'<script type="application/ld+json">{block}</script>'), url)


def test_votes_and_comments_are_distinguished():
    output = signals(POSTING)
    assert (output.upvotes, output.comments, output.author_name) == (1234, 56, "ada")


@pytest.mark.parametrize(
    ("statistic", "upvotes"),
    [
        (LIKES, 1234),
        ([LIKES], 1234),
        (LIKES | {"userInteractionCount": "1,234"}, 1234),
        (LIKES | {"userInteractionCount": "1.2k"}, 1200),
        (LIKES | {"userInteractionCount": 1234.0}, 1234),
        (LIKES | {"userInteractionCount": {"@value": "1234"}}, 1234),
        (LIKES | {"interactionType": "LikeAction"}, 1234),
        (LIKES | {"interactionType": {"@type": "http://schema.org/LikeAction"}}, 1234),
        (LIKES | {"interactionType": {"@id": "https://schema.org/VoteAction"}}, 1234),
        (LIKES | {"interactionType": ["https://schema.org/LikeAction"]}, 1234),
        (LIKES | {"userInteractionCount": True}, 0),
        (LIKES | {"userInteractionCount": "many"}, 0),
        (LIKES | {"interactionType": "https://schema.org/DislikeAction"}, 0),
        ([None, "x", 3, LIKES], 1234),
        (None, 0),
    ],
)
def test_counters_are_read_in_every_shape(statistic, upvotes):
    output = signals(POSTING | {"interactionStatistic": statistic})
    assert output.upvotes == upvotes
    assert (output.credibility_note is None) == (upvotes >= 20)


def test_counts_that_stand_apart_are_read():
    output = signals({"@type": ["Thing", "DiscussionForumPosting"], "upvoteCount": "19", "commentCount": 3})
    assert (output.upvotes, output.comments) == (19, 3)


def test_a_host_that_only_looks_like_the_site_has_no_signals():
    assert signals(POSTING, "https://evil-reddit.com/r/otters/comments/1abc2d/x/") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*POSTING, *LIKES, "name"]), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*POSTING, "upvoteCount"]), JSON))
@settings(max_examples=150, deadline=None)
def test_no_posting_breaks_the_reader(odd):
    output = signals(POSTING | odd | {"@type": "DiscussionForumPosting"})
    assert output is None or isinstance(output.upvotes, int)
