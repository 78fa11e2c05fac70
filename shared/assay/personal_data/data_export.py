"""Exports a person's data as one ZIP archive: a file of JSON lines for each namespace, and the stored objects."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Namespace, Person
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

        async def write_items(namespace: Namespace) -> list[str]:
            """Write the items of the namespace while they are read, and return the names of their objects."""
            name, digest, count, objects = f"{namespace.name}.jsonl", hashlib.sha256(), 0, []
            with archive.open(name, "w", force_zip64=True) as lines:
                async with aclosing(namespace.iter_items(services, person)) as items:
                    async for item in items:
                        line = json.dumps({"item": item.name, **item.document}, ensure_ascii=False) + "\n"
                        lines.write(line.encode())
                        digest.update(line.encode())
                        count += 1
                        objects += item.list_objects()
            counts[namespace.name], digests[name] = count, digest.hexdigest()
            return objects

        for namespace in NAMESPACES:
            for name in await write_items(namespace):
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
