"""Synonyms of field names in schemas and pages."""

from collections.abc import Iterator, Sequence

from assay.extraction.declared_facts import Fact, normalize_name

# Synonyms: the name in the schema, and the names that pages use for it.
SYNONYMS = {
    "title": ("name", "headline"),
    "name": ("title", "headline"),
    "headline": ("name", "title"),
    "author": ("creator", "byline"),
    "price": ("lowprice", "priceamount", "amount"),
    "currency": ("pricecurrency",),
    "rating": ("ratingvalue", "aggregaterating"),
    "averagerating": ("ratingvalue",),
    "reviewcount": ("ratingcount", "reviews"),
    "reviews": ("reviewcount", "ratingcount"),
    "image": ("imageurl", "thumbnailurl"),
    "imageurl": ("image",),
    "date": ("datepublished", "publishedtime", "startdate"),
    "published": ("datepublished", "publishedtime"),
    "publisheddate": ("datepublished", "publishedtime"),
    "publishdate": ("datepublished", "publishedtime"),
    "publishedat": ("datepublished", "publishedtime"),
    "datepublished": ("publishedtime",),
    "updated": ("datemodified", "modifiedtime"),
    "instock": ("availability",),
    "availability": ("instock",),
    "phone": ("telephone", "phonenumber"),
    "telephone": ("phone", "phonenumber"),
    "address": ("streetaddress",),
    "city": ("addresslocality",),
    "country": ("addresscountry",),
    "zip": ("postalcode",),
    "company": ("hiringorganization", "organization", "publisher"),
    "employer": ("hiringorganization",),
    "salary": ("basesalary",),
    "location": ("joblocation", "addresslocality"),
    "venue": ("location",),
    "street": ("streetaddress",),
    "servings": ("recipeyield", "yield"),
    "posted": ("dateposted", "datepublished"),
    "stock": ("availability",),
    "summary": ("description",),
    "manufacturer": ("brand",),
    "brand": ("manufacturer",),
    "tags": ("keywords",),
    "keywords": ("tags",),
}
TITLES = frozenset({"title", "name", "headline"})
SUBJECTS = (
    *(
        "product",
        "item",
        "job",
        "event",
        "recipe",
        "article",
        "page",
        "post",
        "book",
        "movie",
        "restaurant",
        "business",
    ),
    *("company", "place", "hotel", "course", "base", "shop", "store"),
)
BESIDE = frozenset({
    *("review", "reviews", "author", "publisher", "isrelatedto", "issimilarto", "breadcrumb", "mainentityofpage"),
    *("potentialaction", "comment", "ispartof", "creator", "seller", "subjectof", "video"),
})  # fmt: skip
GENERAL = TITLES | {
    "description",
    "url",
    "image",
    "text",
    "id",
    "type",
}  # common to all nodes: only the page subject's own values match
MAX_PATH_LENGTH = 6  # names


class FactIndex:
    """Indexes facts by name and synonym. Facts about other entities, such as reviewers, are left out."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = facts
        self._by: dict[tuple[str, ...], list[Fact]] = {}
        for fact in facts:
            path = fact.path
            for name in dict.fromkeys((("is", *path), ("joined", "".join(path)), ("stem", _stem(path[-1])))):
                self._by.setdefault(name, []).append(fact)
            self._by.setdefault(("ends", path[-1]), []).append(fact)
            if path[-1] == "name" and len(path) > 1:
                self._by.setdefault(("named", path[-2]), []).append(fact)

    def find_by_name(self, name: str) -> Iterator[Fact]:
        """Yield the facts whose path equals the name, then those whose path ends in it, then those with a synonym."""
        field = normalize_name(name)
        if not field:
            return
        max_length = 1 if field in GENERAL else MAX_PATH_LENGTH
        yield from self._select(field, max_length, ("is", field), ("joined", field), ("named", field))
        yield from self._select(field, max_length, ("ends", field), ("stem", _stem(field)))
        for synonym in SYNONYMS.get(field) or SYNONYMS.get(_stem(field), ()):
            yield from self._select(
                field, 1 if field in TITLES else MAX_PATH_LENGTH, ("ends", synonym), ("named", synonym)
            )

    def _select(self, field: str, max_length: int, *names: tuple[str, str]) -> Iterator[Fact]:
        for name in names:
            for fact in self._by.get(name, ()):
                is_aside = len(fact.path) > 1 and fact.path[0] in BESIDE and fact.path[0] != field
                if not is_aside and (len(fact.path) <= max_length or name[0] in ("joined", "named")):
                    yield fact


def _stem(name: str) -> str:
    """Remove the subject prefix and the plural: `recipeIngredients` becomes `ingredient`."""
    for subject in SUBJECTS:
        if name.startswith(subject) and len(name) > len(subject) + 2:
            name = name.removeprefix(subject)
            break
    return name.removesuffix("s") if len(name) > 3 else name


def find_field_names(part: str) -> set[str]:
    """Return the schema field names that match this path part."""
    return {part, *(name for name, synonyms in SYNONYMS.items() if part in synonyms)}
