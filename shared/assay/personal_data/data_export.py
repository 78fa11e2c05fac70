"""Exports a person's data as one ZIP archive: a file of JSON lines for each namespace, and the stored objects."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Person
from assay.services import Services
from assay.state.audit import emit_event
from assay.text.timestamps import format_utc


@contextmanager
def _create(path: Path) -> Iterator[BinaryIO]:
    """Create the file, readable by its owner only, and remove it if it is not finished. Raises FileExistsError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        try:
            yield file
            file.flush()
        except BaseException:
            path.unlink()
            raise


async def export_person(services: Services, person: Person, path: Path) -> dict[str, Any]:
    """Write the archive and return its manifest. Raises OSError; an export replaces no file and leaves none behind."""
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    with _create(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:

        def write(name: str, body: bytes) -> None:
            archive.writestr(name, body)
            digests[name] = hashlib.sha256(body).hexdigest()

        for namespace in NAMESPACES:
            items = await namespace.list_items(services, person)
            counts[namespace.name] = len(items)
            lines = [json.dumps({"item": item.name, **item.document}, ensure_ascii=False) for item in items]
            write(f"{namespace.name}.jsonl", "".join(line + "\n" for line in lines).encode())
            for name in (name for item in items for name in item.list_objects()):
                if (body := await services.bucket.get(name)) is not None:
                    write(f"files/{name}", body)
        manifest = {
            "tenantId": person.tenant,
            "userId": person.user,
            "exportedAt": format_utc(services.clock()),
            "items": counts,
            "notExported": EXPIRING,
            "sha256": digests,
        }
        archive.writestr("manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
    emit_event(services.observers, "data.export", *person, services.clock())
    return manifest
