"""A schema's fields filled from what a page declares under the same names; nothing is guessed from the text."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.extraction.declared import Fact, facts, groups, key
from assay.extraction.fitting import fitted, types_of
from assay.extraction.wanted import Node
from assay.scraping.outline import outline
from assay.scraping.shown import Look

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
LEAST_SHARE = 0.5  # of an item's fields that a table's columns or a list's nodes must know


class Filled:
    """Data of a schema's shape, and by path what the page declares it by."""

    def __init__(self, look: Look, node: dict[str, Any]) -> None:
        self._tables = outline(look.page.content)["tables"]
        self._groups = groups(look.markup) if look.markup else []
        self.origins: dict[str, Fact] = {}
        self.data: Any = self._whole(node, facts(look.markup, self._tables))

    def _whole(self, node: dict[str, Any], known: Sequence[Fact]) -> Any:
        """An object of fields, or a list of such objects where the schema wants one."""
        items = node.get("items")
        if "array" in types_of(node) and isinstance(items, dict) and items.get("properties"):
            return self._list(items, "")
        return self._object(node, known, "")

    def _object(self, node: dict[str, Any], known: Sequence[Fact], path: str) -> dict[str, Any]:
        return {
            name: self._field(name, inner, known, f"{path}.{name}" if path else name)
            for name, inner in (node.get("properties") or {}).items()
        }

    def _field(self, name: str, node: Node, known: Sequence[Fact], path: str) -> Any:
        if not isinstance(node, dict):
            return None
        items = node.get("items")
        if "array" in types_of(node) and isinstance(items, dict) and items.get("properties"):
            return self._list(items, path)
        if node.get("properties"):
            inside = [
                Fact(fact.path[1:], fact.value, fact.origin)
                for fact in known
                if key(name) in _names(fact.path[0]) and fact.path[1:]
            ]
            found = self._object(node, inside, path)
            return found if any(value is not None for value in found.values()) else None
        for fact in _called(name, known):
            value = _as(fact.value, node)
            if value is not None:
                self.origins[path] = fact
                return value
        return None

    def _list(self, node: dict[str, Any], path: str) -> list[Any] | None:
        """The longest list whose rows know most of the item's fields: nodes of one type, or rows of a table."""
        wanted = len(node["properties"])
        tables = [
            [list(_row(table["headers"], row)) for row in table["rows"]]
            for table in self._tables
            if any(table["headers"])
        ]
        best: tuple[int, list[Any], dict[str, Fact]] = (0, [], {})
        for rows in [*self._groups, *tables]:
            origins, self.origins = self.origins, {}
            found = [self._object(node, row, f"{path}[{number}]") for number, row in enumerate(rows)]
            origins, self.origins = self.origins, origins
            filled = sum(value is not None for item in found for value in item.values())
            if filled >= LEAST_SHARE * wanted * len(found) and filled > best[0]:
                best = filled, found, origins
        self.origins |= best[2]
        return best[1] or None


def _row(headers: Sequence[str], row: Sequence[str]) -> Iterator[Fact]:
    yield from (
        Fact((key(name),), cell, "table") for name, cell in zip(headers, row, strict=False) if key(name) and cell
    )


def _called(name: str, known: Sequence[Fact]) -> Iterator[Fact]:
    """The facts that go by the name: those whose path it is, then those whose path it ends, then by other names.

    What is said of others beside the page's subject, such as its reviewers, is not said of the subject.
    """
    wanted = key(name)
    own = [fact for fact in known if len(fact.path) == 1 or fact.path[0] not in BESIDE or fact.path[0] == wanted]
    yield from (fact for fact in own if fact.path == (wanted,))
    yield from (fact for fact in own if len(fact.path) > 1 and "".join(fact.path) == wanted)
    yield from (fact for fact in own if fact.path[-2:] == (wanted, "name"))
    yield from (fact for fact in own if fact.path[-1] == wanted and len(fact.path) > 1)
    yield from (fact for fact in own if _stem(fact.path[-1]) == _stem(wanted))
    deep = 1 if wanted in TITLES else 3
    for other in ALSO.get(wanted) or ALSO.get(_stem(wanted), ()):
        yield from (fact for fact in own if fact.path[-1] == other and len(fact.path) <= deep)
        yield from (fact for fact in own if fact.path[-2:] == (other, "name"))


def _stem(name: str) -> str:
    """The name without the word for what it is a name of, and in the singular: `recipeIngredients` is an ingredient."""
    for subject in SUBJECTS:
        if name.startswith(subject) and len(name) > len(subject) + 2:
            name = name.removeprefix(subject)
            break
    return name.removesuffix("s") if len(name) > 3 else name


def _names(part: str) -> set[str]:
    return {part, *(name for name, others in ALSO.items() if part in others)}


def _as(value: Any, node: dict[str, Any]) -> Any:
    """The value in the type asked for: a list gives its first where one is wanted, one makes a list of one."""
    if "array" in types_of(node):
        listed = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        return fitted(listed, node).data or None
    one = value[0] if isinstance(value, list) and value else value
    return None if isinstance(one, list | dict) else fitted(one, node).data
