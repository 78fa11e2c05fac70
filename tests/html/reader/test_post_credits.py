"""Threads: who wrote each post, and when, is read with its text, and nothing else that stands beside it."""

import pytest
from tests.html.reader.test_main_content import URL
from tests.html.reader.test_paired_blocks import FixedScores

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

FIRST, SECOND = "Herons hunt at dawn, as far as I can tell.", "Mine hunt at noon, when the water is warm."


MARGIN = "A word in the margin. " * 120  # for in a short page all is likely content


def read(posts, scores):
    tree = parse_html(f"<body><main>{posts}</main><footer>{MARGIN}</footer>")
    return read_main_content(tree, URL, FixedScores([*scores, 0.0])).markdown


def member_box(name, text, when="3 May 2024"):
    return (
        f"<article class=message><section class=message-user><h4><a class=username href=/{name}>{name}</a></h4>"
        f"<h5 class=userTitle>Old member</h5></section><ul><li><time>{when}</time></ul><div>{text}</div></article>"
    )


def test_the_name_and_date_of_a_post_stand_in_a_line_above_its_text():
    shown = read(member_box("ann", FIRST) + member_box("ben", SECOND), [0.05, 0.05, 0.05, 0.95] * 2)
    assert shown == (
        f"**[ann](https://birds.example/ann)** · 3 May 2024\n\n{FIRST}\n\n"
        f"**[ben](https://birds.example/ben)** · 3 May 2024\n\n{SECOND}"
    )


def test_the_rank_of_a_member_is_no_heading_of_the_post():
    assert "Old member" not in read(member_box("ann", FIRST) + member_box("ben", SECOND), [0.9, 0.9, 0.9, 0.95] * 2)


def test_a_post_that_is_left_out_leaves_no_name():
    shown = read(
        member_box("ann", FIRST) + member_box("ben", SECOND) + member_box("cid", "Buy my boat."),
        [*[0.05, 0.05, 0.05, 0.95] * 2, *[0.05] * 4],
    )
    assert "ben" in shown
    assert "cid" not in shown


def mail(name, text):
    return (
        f"<div class=email><div><div class=email-author><h2 class=name><a href=/{name}>{name}</a></h2></div>"
        f"<div class=email-date><span>3 May 2024</span></div></div><p>{text}</p>"
        "<div class=email-info><ul><li>0</ul><a>Sign in to reply</a></div></div>"
    )


def report(name, text):
    return (
        f"<div class=bz_comment><div><span class=bz_comment_user>{name}</span> <span class=bz_comment_time>2024-05-03</span>"
        f"</div><p>{text}</p></div>"
    )


def remark(name, text):
    return (
        f"<div class=comment><div class=timeline-comment-header><h3><a class='author Link' href=/{name}>{name}</a> said on "
        f"<relative-time>May 3, 2024</relative-time></h3></div><p>{text}</p></div>"
    )


def story(name, text):
    return (
        f"<div class=cw><div class=commentTop><span class=by>by <a href=/{name}>{name}</a></span> <span class=otherdetails>"
        f"on Friday May 3, 2024</span></div><p>{text}</p></div>"
    )


def task(name, text):
    return (
        f"<div class=activity-comment><div class=action-details><a class='user-hover' href=/{name}>{name}</a> added a comment -"
        f" <time>3 May 2024</time></div><p>{text}</p></div>"
    )


def answer_to_report(name, text):
    return (
        f"<div class=react-issue-comment><div><a class='x ActivityHeader-module__AuthorLink--iofTU' href=/{name}>{name}</a>"
        f" <relative-time>on May 3, 2024</relative-time></div><p>{text}</p></div>"
    )


HEADS = {
    "answers to reports": (answer_to_report, [0.05, 0.95], "[{0}](https://birds.example/{0}) on May 3, 2024"),
    "tasks": (task, [0.05, 0.95], "[{0}](https://birds.example/{0}) added a comment - 3 May 2024"),
    "an archive of mail": (mail, [0.05, 0.05, 0.95, 0.9, 0.9], "**[{0}](https://birds.example/{0})** · 3 May 2024"),
    "reports of errors": (report, [0.05, 0.95], "**{0} 2024-05-03**"),
    "reports of a forge": (remark, [0.05, 0.95], "[{0}](https://birds.example/{0}) said on May 3, 2024"),
    "remarks on news": (story, [0.05, 0.95], "by [{0}](https://birds.example/{0}) on Friday May 3, 2024"),
}


@pytest.mark.parametrize(("write", "scores", "head"), HEADS.values(), ids=HEADS)
def test_who_writes_in_a_thread_of_other_programs(write, scores, head):
    shown = read(write("ann", FIRST) + write("ben", SECOND), scores * 2)
    assert shown == f"{head.format('ann')}\n\n{FIRST}\n\n{head.format('ben')}\n\n{SECOND}"


def test_the_text_of_a_comment_is_no_heading_by_its_role():
    post = "<div class=comment><div role=heading aria-level=3><p>{}</p></div></div>"
    shown = read("<div role=heading aria-level=1>Herons</div>" + post.format(FIRST) + post.format(SECOND), [0.9] * 3)
    assert shown == f"# Herons\n\n{FIRST}\n\n{SECOND}"


def answer(name, text):
    return (
        f"<div class=answer><p>{text}</p><div><div class=time>answered 3 May 2024</div>"
        f"<div class=user-details itemprop=author><a href=/{name}>{name}</a></div></div></div>"
    )


def test_a_name_below_the_text_is_read_there():
    shown = read(answer("ann", FIRST) + answer("ben", SECOND), [0.95, 0.05, 0.05] * 2)
    assert shown == (
        f"{FIRST}\n\n**[ann](https://birds.example/ann)** · answered 3 May 2024\n\n"
        f"{SECOND}\n\n**[ben](https://birds.example/ben)** · answered 3 May 2024"
    )


def test_answers_within_a_post_have_names_and_dates_of_their_own():
    inner = f"<div class=comment><b class=username>ben</b><p>{SECOND}</p><p class=date>4 May 2024</p></div>"
    shown = read(
        f"<div class=comment><b class=username>ann</b><p>{FIRST}</p>{inner}</div>", [0.05, 0.95, 0.05, 0.95, 0.05]
    )
    assert shown == f"**ann**\n\n{FIRST}\n\n**ben**\n\n{SECOND}\n\n4 May 2024"


def test_a_line_with_name_and_date_is_read_as_it_is():
    posts = "".join(
        f"<div class=post><p class=author>Post by <b class=username>{name}</b> » 3 May 2024</p><div>{text}</div></div>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    shown = read(posts, [0.05, 0.95] * 2)
    assert shown.startswith(f"Post by **ann** » 3 May 2024\n\n{FIRST}\n\nPost by **ben**")


def test_the_first_words_of_a_box_of_a_member_are_the_name():
    posts = "".join(
        f"<div class=post><div class=poster><h4>{name}</h4><p>Posts: 21</p></div><div>{text}</div></div>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    assert read(posts, [0.05, 0.05, 0.95] * 2) == f"**ann**\n\n{FIRST}\n\n**ben**\n\n{SECOND}"


def test_the_name_that_microdata_state_is_found_behind_an_avatar():
    posts = "".join(
        f"<div class=topic-owner-post><div itemprop=author><meta itemprop=name content={name}><div>{name[0].upper()}</div>"
        f"<div><a href=/{name}>{name}</a></div></div><div>{text}</div></div>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    shown = read(posts, [0.05, 0.05, 0.95] * 2)
    assert shown.startswith(f"**[ann](https://birds.example/ann)**\n\n{FIRST}\n\n**[ben]")


LEFT_OUT = {
    "a signature": "<div class=signature>Wet feet, warm heart</div>",
    "who likes the post": "<div class=post-likes>6 Likes</div>",
    "a counter": "<div itemprop=interactionStatistic>6 Likes</div>",
    "statistics of the member": "<dl class=postprofile><dd>Posts: 21</dl>",
}


@pytest.mark.parametrize("beside", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_stands_beside_the_text_of_a_post_is_left_out(beside):
    posts = "".join(
        f"<div class=post><p><b class=username>{name}</b></p><div>{text}</div>{beside}</div>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    assert read(posts, [0.05, 0.95, 0.95] * 2) == f"**ann**\n\n{FIRST}\n\n**ben**\n\n{SECOND}"


def test_the_subject_that_answers_repeat_is_no_heading():
    posts = "".join(
        f"<div class=post><b class=username>{name}</b><h3><a href=#{name}>{subject}</a></h3><div>{text}</div></div>"
        for name, subject, text in (
            ("ann", "When do herons hunt?", FIRST),
            ("ben", "Re: When do herons hunt?", SECOND),
            ("cid", "Re: When do herons hunt?", "Neither of mine hunts at all."),
        )
    )
    shown = read(posts, [0.9, 0.9, 0.95] * 3)
    assert "### When do herons hunt?" in shown
    assert "Re:" not in shown


def test_the_date_as_heading_of_a_post_stands_with_the_name():
    posts = "".join(
        f"<div><h2>2024-05-0{day} 10:59</h2><div class=post><b class=username>{name}</b><div>{text}</div></div></div>"
        for day, name, text in ((3, "ann", FIRST), (4, "ben", SECOND))
    )
    shown = read(posts, [0.9, 0.05, 0.95] * 2)
    assert shown == f"**ann** · 2024-05-03 10:59\n\n{FIRST}\n\n**ben** · 2024-05-04 10:59\n\n{SECOND}"


def test_comments_that_microdata_mark_have_names_and_dates():
    posts = "".join(
        f"<div itemscope itemtype=https://schema.org/Comment><div itemprop=author itemscope><a itemprop=name href=/{name}>"
        f"{name}</a> <span>{place}</span></div><time>{when}</time><div itemprop=text>{text}</div></div>"
        for name, place, when, text in (
            ("ann", "York", "2 years ago", FIRST),
            ("ben", "Bath", "07/03/24 02:57 PM", SECOND),
        )
    )
    assert read(posts, [0.05, 0.05, 0.95] * 2) == (
        f"**[ann](https://birds.example/ann) York** · 2 years ago\n\n{FIRST}\n\n"
        f"**[ben](https://birds.example/ben) Bath** · 07/03/24 02:57 PM\n\n{SECOND}"
    )


def test_a_name_is_found_within_the_mark_of_its_author():
    posts = "".join(
        f"<article class=reply itemscope itemtype=http://schema.org/Comment><header>Posted by <span itemprop=author>"
        f"<span class=author itemprop=name>{name}</span><div>In the marsh</div></span></header><p>{text}</p></article>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    shown = read(posts, [0.05, 0.05, 0.95] * 2)
    assert shown == f"**Posted by ann**\n\n{FIRST}\n\n**Posted by ben**\n\n{SECOND}"


LINES = {
    "Reddit": "<p class=tagline><a>[–]</a><a class='author may-blank' href=/{0}>{0}</a> 26 points <time>3 hours ago</time></p>",
    "Hacker News": (
        "<div><span class=comhead><a href=/{0} class=hnuser>{0}</a> <span class=age><a href=/1>3 hours ago</a></span>"
        "<span> | <a href=#2>next</a> <a>[–]</a></span></span></div>"
    ),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_of_a_line_with_votes_and_links_the_name_and_the_age_are_read(line):
    posts = "".join(
        f"<div class=comment>{line.format(name)}<div class=usertext><p>{text}</p></div></div>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    shown = read(posts, [0.05, 0.95] * 2)
    assert shown == f"**ann** · 3 hours ago\n\n{FIRST}\n\n**ben** · 3 hours ago\n\n{SECOND}"


def test_the_name_of_a_post_is_no_heading():
    posts = "".join(
        f"<article><div class=PostUser><h3 class=PostUser-name>{name}</h3></div><div class=Post-body><p>{text}</p></div></article>"
        for name, text in (("ann", FIRST), ("ben", SECOND))
    )
    assert read(posts, [0.05, 0.95] * 2) == f"**ann**\n\n{FIRST}\n\n**ben**\n\n{SECOND}"


UNCHANGED = {
    "a page with one author": (
        f"<div class=post><b class=username>ann</b><p>{FIRST}</p></div><div class=post><p>{SECOND}</p></div>",
        [0.05, 0.8, 0.8],
    ),
    "entries of one author": (
        "".join(
            f"<div class=post><b class=username>ben of the marsh</b><p>{text}</p><p class=date>{day} May 2024</p></div>"
            for day, text in ((3, FIRST), (4, SECOND))
        ),
        [0.05, 0.8, 0.05] * 2,
    ),
    "teasers of other pages": (
        "".join(
            f"<div class=post><h2><a href=/{name}>On herons</a></h2><b class=username>{name}</b><p>{text}</p></div>"
            for name, text in (("ann", FIRST), ("ben", SECOND))
        ),
        [0, 0.05, 0.8] * 2,
    ),
    "names in quotations": (
        "".join(
            f"<div class=post><blockquote><p><b class=username>{name}</b> said:</p></blockquote><p>{text}</p></div>"
            for name, text in (("ann", FIRST), ("ben", SECOND))
        ),
        [0.05, 0.8] * 2,
    ),
    "names of different boxes": (
        (
            f"<div class=post><b class=username>ann</b><p>{FIRST}</p></div>"
            f"<section><b class=username>ben</b><p>{SECOND}</p></section>"
        ),
        [0.05, 0.8] * 2,
    ),
}


@pytest.mark.parametrize(("posts", "scores"), UNCHANGED.values(), ids=UNCHANGED)
def test_other_names_are_as_likely_content_as_they_were(posts, scores):
    shown = read(posts, scores)
    assert FIRST in shown
    assert "ben" not in shown
