"""Random keys of this installation, in rows of the table, so that every instance has the same ones."""

import secrets

from assay.state.ports import Conflict, TableStore


async def load_or_create_key(table: TableStore, name: str) -> bytes:
    """The key in the row `name`, which the first caller creates."""
    while (row := await table.get(name)) is None:
        try:
            await table.put(name, "-", secrets.token_bytes(32), expect=0)
        except Conflict:  # another process created it
            continue
    return row.value
