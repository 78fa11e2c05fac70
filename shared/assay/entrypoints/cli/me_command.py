"""`assay me`: exports or erases everything that is stored about a person, and verifies receipts of erasures."""

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from assay.bootstrap import build_services
from assay.caller import Caller
from assay.errors import InvalidInput
from assay.own_stores import OwnStores
from assay.personal_data import data_export, erasure, receipts
from assay.personal_data.namespaces import Person
from assay.services import Services

LONGEST_RECEIPT = 100_000  # characters


def manage_personal_data(options: argparse.Namespace) -> int:
    """Run the action and print its result as JSON. The exit code is 1 for a receipt that is not valid."""
    run: Callable[[Services, argparse.Namespace], Awaitable[dict[str, Any]]]
    run = {"export": _export, "erase": _erase, "verify": _verify}[options.action]
    if (options.file is None) != (options.action == "erase"):
        way = "`assay me export FILE.zip`, `assay me erase [--yes]`, `assay me verify RECEIPT`."
        raise InvalidInput(f"Name the file: {way}", field="file")
    result = asyncio.run(_with_services(run, options))
    if options.action == "erase" and not options.yes:
        print("Nothing was deleted. `assay me erase --yes` deletes it for good.", file=sys.stderr)
    return 1 if result.get("valid") is False else 0


async def _with_services(
    run: Callable[[Services, argparse.Namespace], Awaitable[dict[str, Any]]], options: argparse.Namespace
) -> dict[str, Any]:
    services = build_services()
    try:
        return await run(services, options)
    finally:
        await services.close()


async def _export(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    person, path = Person(options.tenant, options.user), Path(options.file)
    try:
        manifest = await data_export.export_person(services, person, path)
    except FileExistsError:
        raise InvalidInput(f"{path} exists. Name a new file.", field="file") from None
    except OSError as failure:
        raise InvalidInput(f"{path} cannot be written: {failure.strerror}. Name another.", field="file") from None
    return _print({"archive": str(path), **manifest})


async def _erase(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    person = Person(options.tenant, options.user)
    if not options.yes:
        return _print({"dryRun": True, "items": await erasure.count_items(services, person)})
    consents = OwnStores(services, Caller(*person)).consents
    receipt = _print(await erasure.erase_person(services, person, consents))
    await erasure.finish_erasure(services, person)  # after the receipt was printed, which is needed to make it again
    return receipt


async def _verify(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    receipt = _read_receipt(options.file)
    return _print({"valid": await receipts.is_valid_receipt(services.table, receipt), "id": receipt.get("id")})


def _read_receipt(path: str) -> dict[str, Any]:
    try:
        with sys.stdin if path == "-" else Path(path).open(encoding="utf-8") as file:
            text = file.read(LONGEST_RECEIPT + 1)
        receipt = json.loads(text) if len(text) <= LONGEST_RECEIPT else None
    except OSError:
        raise InvalidInput(f"{path} cannot be read.", field="file") from None
    except ValueError:
        receipt = None
    if not isinstance(receipt, dict):
        raise InvalidInput("The file is not a receipt of `assay me erase`.", field="file")
    return receipt


def _print(result: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(result, ensure_ascii=False), flush=True)
    return result
