"""Pages that say they are missing are distinguished from pages about missing pages."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content
from assay.scraping.missing_pages import is_missing_page

NAV = "<nav><a href=/>Home</a> <a href=/b>Blog</a></nav>"
FOOT = "<footer>Copyright 2024 Otters Inc.</footer>"


def page(t, b):
    return f"<html><head><title>{t}</title></head><body>{NAV}<main>{b}</main>{FOOT}</body></html>"


POP = (
    "<h2>Popular stories</h2><ul>"
    + "".join(f"<li><a href=/{i}>A popular story about otters and their rivers, part {i}</a></li>" for i in range(20))
    + "</ul>"
)
MISSING = {
    "en": page(
        "Page not found | Otters",
        "<h1>Page not found</h1><p>The page you are looking for does not exist. Try the <a href=/>home page</a>.</p>",
    ),
    "oops": page(
        "404 - Otters", "<h1>Oops!</h1><p>We can't find the page you're looking for.</p><form><input name=q></form>"
    ),
    "parked": page("otters.example", "<h1>otters.example</h1><p>This domain is parked.</p>"),
    "for sale": page("Otters", "<p>The domain otters.example may be for sale.</p><a href=/buy>Inquire</a>"),
    "expired": page("otters.example", "<p>This domain has expired. If you owned it, contact your registrar.</p>"),
    "shop of domains": page(
        "Otters.com is for sale | A shop of domains",
        "<h1>Otters.com</h1><p>Buy now for 2,895 dollars.</p><p>"
        + "Our customers like how quickly they were served. " * 20
        + "</p>",
    ),
    "for sale de": page(
        "otters.example", "<h1>Diese Domain steht zum Verkauf</h1><p>Kontakt: <a href=/c>Anfrage</a></p>"
    ),
    "for sale fr": page("otters.example", "<h1>Ce nom de domaine est à vendre</h1>"),
    "for sale es": page("otters.example", "<h1>Este dominio está en venta</h1>"),
    "for sale by name": page("Otters", "<p>Le domaine <b>otters.example</b> est peut-être à vendre !</p>"),
    "for sale in the title": page(
        "The domain name otters.example is for sale | A shop", "<h1>otters.example</h1><p>Buy now: 2,995 dollars.</p>"
    ),
    "for sale with a request": page(
        "otters.example domain name is for sale. Inquire now.", "<h1>otters.example</h1><p>Write to us.</p>"
    ),
    "for sale without a verb": page("Otters.com for sale", "<h1>Otters.com</h1><p>Make an offer.</p>"),
    "for sale in a heading": page(
        "otters.com", "<h1>Otters.com is for sale!</h1><p>Buy now for 2,995 dollars, or lease to own.</p>"
    ),
    "a domain for sale": page(
        "otters.example - Domain for sale", "<h1>otters.example</h1><p>Interested? Write to us.</p>"
    ),
    "for sale by its owner": page("otters.example", "<p>The owner of otters.example is offering it for sale.</p>"),
    "for sale de by name": page(
        "otter.example", "<p>Die Domain otter.example wird möglicherweise vom Inhaber zum Verkauf angeboten.</p>"
    ),
    "for sale it": page("otters.example", "<p>Benvenuto! Il dominio otters.example è in vendita.</p>"),
    "for sale nl": page("otters.example", "<p>De domeinnaam otters.example is te koop.</p>"),
    "a link to buy": page("otters.example", "<h1>otters.example</h1><p><a href=/buy>Buy this domain</a></p>"),
    "for sale ru": page("otters.example", "<h1>Домен otters.example продаётся</h1>"),
    "for sale zh": page("otters.example", "<h1>此域名正在出售</h1>"),
    "nginx": "<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>",
    "apache": "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The requested URL /x was not found on this server.</p></body></html>",
    "popular": page(
        "Page not found – Otters",
        "<h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location.</p>" + POP,
    ),
    "heading only": page("Otters Inc.", "<h1>404</h1><p>Sorry, the page you requested could not be found.</p>"),
    "wp": page("Otters", "<h1>Nothing here</h1><p>This page no longer exists.</p>").replace(
        "<body>", "<body class='blog error404 wide'>"
    ),
    "moved": page("Page Not Found", "<h1>Sorry</h1><p>The page you were looking for has been moved or deleted.</p>"),
    "de": page(
        "Seite nicht gefunden - Otter", "<h1>Fehler 404</h1><p>Die angeforderte Seite wurde leider nicht gefunden.</p>"
    ),
    "fr": page("Page introuvable | Loutres", "<h1>Page introuvable</h1><p>La page demandée n’existe plus.</p>"),
    "es": page("Página no encontrada", "<h1>Error 404</h1><p>La página que busca no existe.</p>"),
    "it": page("Pagina non trovata", "<h1>Pagina non trovata</h1><p>Ci dispiace.</p>"),
    "pt": page("Página não encontrada", "<h1>Ops!</h1><p>A página que você procura não foi encontrada.</p>"),
    "nl": page("Pagina niet gevonden", "<h1>Pagina niet gevonden</h1><p>Helaas.</p>"),
    "pl": page("Nie znaleziono strony", "<h1>404</h1><p>Strona, której szukasz, nie istnieje.</p>"),
    "ru": page("Страница не найдена", "<h1>404</h1><p>К сожалению, страница не найдена.</p>"),
    "sv": page("Sidan hittades inte", "<h1>Sidan hittades inte</h1><p>Kontrollera adressen.</p>"),
    "da": page("Siden blev ikke fundet", "<h1>Siden blev ikke fundet</h1><p>Prøv igen.</p>"),
    "tr": page("Sayfa bulunamadı", "<h1>404</h1><p>Aradığınız sayfa bulunamadı.</p>"),
    "ja": page(
        "ページが見つかりません",
        "<h1>404</h1><p>お探しのページが見つかりませんでした。ページは移動した可能性があります。</p>".replace(
            "見つかりませんでした", "見つかりません"
        ),
    ),
    "zh": page("页面不存在", "<h1>404</h1><p>抱歉，您访问的页面不存在。</p>"),
    "ko": page("페이지를 찾을 수 없습니다", "<h1>404</h1><p>요청하신 페이지를 찾을 수 없습니다.</p>"),
    "ar": page("الصفحة غير موجودة", "<h1>404</h1><p>عذرا، الصفحة غير موجودة.</p>"),
    "meta": page("Otters", "<p>Sorry, this article is no longer available.</p>").replace(
        "<head>", "<head><meta name=prerender-status-code content=404>"
    ),
    "product": page(
        "Product not found | Shop",
        "<h1>Product not found</h1><p>The product you were looking for is no longer available.</p>",
    ),
}
LONG = (
    "<p>The ship left the harbour of Bristol in 1847 and was never seen again, though many have looked for it on the sea floor.</p>"
    * 12
)

THERE = {
    "about": page(
        "404 Not Found - Web glossary",
        "<h1>404 Not Found</h1><p>The 404 status code means that a server could not find what the client asked for. Users see a message that the page was not found.</p>",
    ),
    "about long": page(
        "How to design a 404 page: page not found",
        "<h1>How to design a 404 page</h1>"
        + "<p>When the page is not found the visitor needs a way on. A page that was not found can be a moment of charm, with a joke and a search box for people who came by a broken link.</p>"
        * 6,
    ),
    "story": page("Not found: the story of the Arctic", "<h1>Not found: the story of the Arctic</h1>" + LONG),
    "short story": page(
        "Not found: the story of the Arctic",
        "<h1>Not found: the story of the Arctic</h1><p>The ship was not found. The crew was never seen again.</p>",
    ),
    "news of a sale": page(
        "Otters.com is for sale | River Letters",
        "<h1>Otters.com is for sale</h1><p>"
        + "The owner of the site says that the river will not pay for it any more. " * 30
        + "</p>",
    ),
    "not for sale de": page(
        "Otterfreunde", "<h1>Otterfreunde</h1><p>Diese Domain wird vom Verein nicht zum Verkauf angeboten.</p>"
    ),
    "a law of domains": page(
        "Who owns an expired name",
        "<h1>Who owns an expired name</h1><p>"
        + "If this domain has expired, the registrar may sell it to others after a time. " * 12
        + "</p>",
    ),
    "help on domains": page(
        "When a domain expires",
        "<h1>When a domain expires</h1><p>If the domain has expired, renew it within 30 days. If this domain has expired "
        "for longer, look for a link such as “Buy this domain” and make an offer for this domain.</p>",
    ),
    "a status of domains": page(
        "autoRenewPeriod", "<h1>autoRenewPeriod</h1><p>It means that the domain has expired and was renewed.</p>"
    ),
    "an estate fr": page(
        "Château à vendre",
        "<h1>Château</h1><p>Ce domaine viticole est à vendre. Ce domaine est en vente depuis mai.</p>",
    ),
    "an estate nl": page("Kasteel", "<h1>Kasteel</h1><p>Dit domein is te koop: een kasteel met een bos bij Gent.</p>"),
    "a domain of a network": page(
        "Sign-in error", "<h1>Sign-in error</h1><p>The domain password has expired. Change it and sign in again.</p>"
    ),
    "a domain of a protein": page(
        "Plasmid 12", "<h1>Plasmid 12</h1><p>The domain is available for purchase from the collection.</p>"
    ),
    "short news of a sale": page(
        "Otters.com is for sale | River Letters",
        "<h1>Otters.com is for sale</h1><p>The shop has asked a bank to find a buyer. It employs 900 people.</p>",
    ),
    "news of a sale without a verb": page(
        "Otters.com for sale | River Letters",
        "<h1>Otters.com for sale</h1><p>The shop has asked a bank to find a buyer, who may make an offer until May.</p>",
    ),
    "a brand with a dot": page(
        "Dr.Otter for sale | Flea market", "<h1>Dr.Otter for sale</h1><p>Buy it now, or make an offer. Size 42.</p>"
    ),
    "a shop for domains": page(
        "Domain name for sale | Otters.com", "<h1>How to sell a name</h1><p>Make an offer, and wait.</p>"
    ),
    "plain": page("Otters", "<h1>Otters</h1><p>Otters sleep.</p>"),
    "search": page("Search results", "<h1>Search</h1><p>No results were found for otter.</p>"),
    "lost": page(
        "Lost and found in Bristol", "<h1>Lost and found</h1><p>Items that were found are kept for 30 days.</p>"
    ),
    "remedy": page(
        "Fix 'page not found' in WordPress",
        "<h1>Fix 'page not found' in WordPress</h1><p>Open Settings, then Permalinks, and press Save. The page is not found because rules are stale.</p>",
    ),
    "short": page("Room 404", "<h1>Room 404</h1><p>A double room with a view of the river.</p>"),
    "peugeot": page("Peugeot 404", "<h1>Peugeot 404</h1><p>A large family car made from 1960 to 1975.</p>"),
    "species": page(
        "Species not found in Ireland",
        "<h1>Species not found in Ireland</h1><p>The mole and the common toad are not found in Ireland.</p>",
    ),
    "album": page("404 (album) - Wiki", "<h1>404</h1><p>404 is the second album by the band Otter.</p>"),
}


def says(markup):
    tree = parse_html(markup)
    return is_missing_page(tree, read_main_content(tree, "https://a.example/x").markdown)


@pytest.mark.parametrize("markup", MISSING.values(), ids=MISSING.keys())
def test_a_page_that_says_it_is_missing_is_reported(markup):
    assert says(markup)


@pytest.mark.parametrize("markup", THERE.values(), ids=THERE.keys())
def test_a_page_that_speaks_of_what_is_missing_is_there(markup):
    assert not says(markup)


def test_a_missing_page_with_many_links_is_reported():
    tree = parse_html(MISSING["en"])
    words = "a b " * 120  # a link text is at most 500 characters long
    for count in range(1, 20):  # so that one of them is cut wherever only a part of the text is read
        links = f"[{'x' * count * 20}](https://otters.example/)\n\n" + f"[{words}](https://otters.example/all)\n\n" * 20
        assert is_missing_page(tree, f"# Page not found\n\nThe page you are looking for does not exist.\n\n{links}")
