"""Synonyms of field names in schemas and pages."""

from collections.abc import Iterator, Sequence

from assay.extraction.declared_facts import Fact, key

# What a field may be called besides: as the schema has it, and as pages have it.
ALSO = {
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
GENERAL = TITLES | {"description", "url", "image", "text", "id", "type"}  # everything has them: the subject's are meant
DEEP = 6  # names of a path


class FactIndex:
    """Facts by the names they may go by. What is said of others beside the subject, as its reviewers, goes by none."""

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
        """Those whose path the name is, then those whose path it ends, then those that go by another name for it."""
        wanted = key(name)
        if not wanted:
            return
        deep = 1 if wanted in GENERAL else DEEP
        yield from self._own(wanted, deep, ("is", wanted), ("joined", wanted), ("named", wanted))
        yield from self._own(wanted, deep, ("ends", wanted), ("stem", _stem(wanted)))
        for other in ALSO.get(wanted) or ALSO.get(_stem(wanted), ()):
            yield from self._own(wanted, 1 if wanted in TITLES else DEEP, ("ends", other), ("named", other))

    def _own(self, wanted: str, deep: int, *names: tuple[str, str]) -> Iterator[Fact]:
        for name in names:
            for fact in self._by.get(name, ()):
                beside = len(fact.path) > 1 and fact.path[0] in BESIDE and fact.path[0] != wanted
                if not beside and (len(fact.path) <= deep or name[0] in ("joined", "named")):
                    yield fact


def _stem(name: str) -> str:
    """The name without the word for what it is a name of, and in the singular: `recipeIngredients` is an ingredient."""
    for subject in SUBJECTS:
        if name.startswith(subject) and len(name) > len(subject) + 2:
            name = name.removeprefix(subject)
            break
    return name.removesuffix("s") if len(name) > 3 else name


def names_of(part: str) -> set[str]:
    """The names under which a schema may ask for the part."""
    return {part, *(name for name, others in ALSO.items() if part in others)}
