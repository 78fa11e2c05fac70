from functools import partial

import pytest
from tests.support.processor_time import assert_quick

from assay.scraping.access_walls import detect_wall

ARTICLE = (
    "How captchas work. A captcha is a test that tells people and programs apart. Many sites show the words "
    "“verify you are human” before they let anyone in, and security companies have sold such tests for twenty years. "
    "Researchers showed last spring that image puzzles are solved faster by machines than by people, which is why "
    "newer tests look at how the pointer moves. Critics say that this tracks visitors without asking for consent. "
) * 3


@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("Checking your browser before accessing shop.example. Please wait. Ray ID: 8a", "Just a moment...", 503),
        ("Verify you are human by completing the action below.", "shop.example", 200),
        ("Please enable JavaScript and cookies to continue", "Just a moment...", 403),
        ("Access Denied. You don't have permission to access this server. Reference #18.2f.17.a", "Access Denied", 403),
        ("Press & Hold to confirm you are a human (and not a bot).", "", 200),
        ("Sorry, you have been blocked. You are unable to access shop.example", "Attention Required!", 403),
        ("Our systems have detected unusual traffic from your computer network.", "", 429),
    ],
)
def test_a_proof_of_humanity_is_a_wall(text, title, status):
    assert detect_wall(text, html_size=30_000, status=status, title=title) == "bot"


@pytest.mark.parametrize(
    "text",
    [
        "VERIFY YOU ARE HUMAN, PLEASE",
        "Please verİfy you are human.",
        "Acceſs denıed to your browser",
        "Just a moment... RAY ID",
    ],
)
def test_case_does_not_hide_a_wall(text):
    assert detect_wall(text, html_size=30_000) == "bot"


def test_an_article_about_walls_is_none():
    assert detect_wall(ARTICLE, html_size=len(ARTICLE) * 3, title="How captchas work") is None
    assert detect_wall(ARTICLE[:900], html_size=3_000, title="How captchas work") is None


def test_a_guard_may_mark_its_wall_in_the_headers():
    assert detect_wall("Anything at all.", html_size=100, headers={"CF-Mitigated": "challenge"}) == "bot"


def test_html_may_be_given_in_place_of_text():
    page = "<!doctype html><title>Just a moment...</title><script>var a='x'</script><p>Verify you are human.</p>"
    assert detect_wall(page, html_size=len(page)) == "bot"
    innocent = f"<html><head><script>'verify you are human'</script></head><body><p>{ARTICLE}</p></body></html>"
    assert detect_wall(innocent, html_size=len(innocent)) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("Loading...", 9_000),
        ("You need to enable JavaScript to run this app.", 2_000),
        ("", 50_000),
        ("Home About Contact Products Services Blog Careers Press " * 8, 90_000),
    ],
)
def test_a_page_that_scripts_would_fill_is_a_shell(text, size):
    assert detect_wall(text, html_size=size) == "shell"


def test_text_alone_is_a_shell_when_it_hardly_says_anything():
    assert detect_wall("Welcome to the shop") == "shell"
    assert detect_wall("word " * 40) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("A short note on tea. It was written by hand.", 200),
        ("Tea is a drink that people have made from leaves for ages. It is served hot in most of the world.", 400_000),
        ("茶叶是一种古老的饮料，世界各地的人们都喜欢在清晨喝上一杯。它起源于中国，后来传播到了日本和欧洲。", 60_000),
    ],
)
def test_a_short_page_in_heavy_markup_is_still_a_page(text, size):
    assert detect_wall(text, html_size=size) is None


@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("Email Password Forgot your password?", "Log in | Shop", 200),
        ("You must be logged in to view this topic.", "Forum", 200),
        ("Please sign in to continue", "Shop", 401),
        ("Bitte melden Sie sich an. E-Mail Passwort", "Anmelden", 200),
    ],
)
def test_a_login_form_is_a_wall(text, title, status):
    assert detect_wall(text, html_size=600, status=status, title=title) == "login"


def test_a_page_with_a_login_link_is_none():
    assert detect_wall("Sign in. Menu. " + ARTICLE, html_size=len(ARTICLE) * 4, title="Tea") is None


@pytest.mark.parametrize(
    "offer",
    [
        "Subscribe to continue reading.",
        "This article is for subscribers only.",
        "Already a subscriber? Log in",
        "You’ve reached your limit of free articles.",
        "Weiterlesen mit einem Abo.",
        "Cet article est réservé aux abonnés.",
    ],
)
def test_an_excerpt_with_an_offer_is_a_paywall(offer):
    excerpt = "The price of tea rose again in May, and growers do not expect it to fall this year, they say. " * 6
    assert detect_wall(f"{excerpt}\n\n{offer}", html_size=8_000) == "paywall"


def test_a_whole_article_with_an_offer_below_is_none():
    assert detect_wall("The price of tea rose again in May. " * 300 + "Already a subscriber?", html_size=40_000) is None


def test_hostile_text_costs_little_time():
    for text in (
        "a " * 1_000,
        "<!doctype html>" + "<script" * 100_000,
        "<html>" + "<!--" * 100_000 + "<" * 100_000,
        "<html><title" * 40_000,
    ):
        assert_quick(partial(detect_wall, text, html_size=700_000), 2)
