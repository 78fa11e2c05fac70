"""An ordinary answer of each provider that answers questions, reads fields off pages or knows brands."""

from tests.providers.contract_case import offer

from assay.models.common import DomainQuery, NameQuery, Question, StructuredQuery

CITED = {"title": "Cats", "url": "https://cats.example/a", "publishedDate": "2026-07-01T00:00:00.000Z"}
SAMPLES = {
    ("exa", "answer"): {"answer": "Cats purr.", "citations": [CITED], "costDollars": {"total": 0.005}},
    ("tavily", "answer"): {
        "answer": "Cats purr.",
        "results": [{"title": "Cats", "url": "https://cats.example/a", "content": "x", "published_date": "2026-07-01"}],
        "usage": {"credits": 1},
    },
    ("exa", "structured"): {
        "results": [CITED | {"author": "Ada", "summary": '{"name": "Cat", "age": null}', "highlights": ["Purr"]}],
        "costDollars": {"total": 0.008},
    },
    ("brandfetch", "brand"): {
        "name": "Acme",
        "domain": "acme.example",
        "description": "Makes everything.",
        "links": [{"name": "twitter", "url": "https://twitter.com/acme"}],
        "logos": [{"type": "logo", "formats": [{"src": "https://cdn.example/l.svg", "format": "svg"}]}],
        "colors": [{"hex": "#ff0000", "type": "brand", "brightness": 54}],
        "fonts": [{"name": "Inter", "type": "body", "origin": "google", "originId": "Inter", "weights": [400]}],
        "company": {"foundedYear": 1949, "industries": [{"name": "Anvils"}], "location": {"city": "Tucson"}},
    },
    ("brandfetch", "voice"): {
        "meta": {"domain": "acme.example"},
        "identity": {"tagline": "Acme has it."},
        "brand": {"voice": {"summary": "Bold.", "attributes": ["bold"]}},
    },
    ("brandfetch", "domains"): [{"name": "Acme", "domain": "acme.example", "claimed": True}],
}  # fmt: skip
QUESTIONS = {
    "answer": Question(query="Do cats purr?"),
    "structured": StructuredQuery(query="cats", num_results=1),
    "brand": DomainQuery(domain="acme.example"),
    "voice": DomainQuery(domain="acme.example"),
    "domains": NameQuery(name="Acme"),
}
BRANDS = {"brand", "voice", "domains"}
OFFERS = [
    offer(
        name,
        QUESTIONS[operation],
        operation,
        sample,
        "Acme" if operation in BRANDS else "Cat",
        method="GET" if operation in BRANDS else "POST",
        **({"nothing": [], "reads": frozenset({"list", "nulls"})} if operation == "domains" else {}),
    )
    for (name, operation), sample in SAMPLES.items()
]
