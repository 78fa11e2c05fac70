"""A person's watches: what is watched, what was found, and their secret addresses."""

import json

from assay.monitoring.watch_store import INDEX, STATE, WATCH, build_feed_key, build_watches_key
from assay.personal_data.namespaces import Person, PersonalItem
from assay.services import Services
from assay.state.table_rows import query_all


async def list_watches(services: Services, person: Person) -> list[PersonalItem]:
    """List the watches. Rows that an interrupted deletion left are an item of their own."""
    key = build_watches_key(*person)
    rows = {row.sort: row for row in await query_all(services.table, key)}
    items = []
    for sort in [sort for sort in rows if sort.startswith(WATCH)]:
        watch, state = json.loads(rows[sort].value), STATE + sort.removeprefix(WATCH)
        found = json.loads(rows.pop(state).value) if state in rows else {}
        document = {name: value for name, value in watch.items() if name != "feed"} | {"found": found}
        feed = ((build_feed_key(watch["feed"]), "-"),) if watch.get("feed") else ()
        items.append(PersonalItem(watch["id"], document, (*feed, (key, state), (key, INDEX), (key, sort))))
        del rows[sort]
    if rest := [sort for sort in rows if sort != INDEX or not items]:
        items.append(PersonalItem("rest", {"rows": rest}, tuple((key, sort) for sort in rest)))
    return items
