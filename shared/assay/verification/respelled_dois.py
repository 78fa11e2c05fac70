"""Looks up other spellings of DOIs that are not registered: copying, typesetting and exports change some."""

from collections.abc import Iterable

from assay.bibliography import doi
from assay.context import Context
from assay.verification.registry_records import Record, fetch_records


async def find_respelled(ctx: Context, names: Iterable[str], *, seconds: float) -> dict[str, Record]:
    """Return the records of registered DOIs of which the unregistered `names` are other spellings, by these names."""
    spellings = {name: doi.list_spellings(name) for name in names}
    listed = [each for some in spellings.values() for each in some]
    records = await fetch_records(ctx, listed, seconds=seconds) if listed else {}
    found = {
        name: next((records[each] for each in some if records[each].exists), None) for name, some in spellings.items()
    }
    return {name: record for name, record in found.items() if record}


def describe_respelling(name: str, record: Record) -> str:
    return f"The DOI {name} is not registered; it was read as {record.doi}, which is."
