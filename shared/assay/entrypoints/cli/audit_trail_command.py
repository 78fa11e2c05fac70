"""`assay audit verify`: verifies the audit trail of this machine."""

import asyncio
import json
from typing import Any

from assay.bootstrap import build_services
from assay.errors import ConfigError


def verify_audit_trail() -> int:
    """Print the report as JSON; the exit code is 0 for a trail that is intact, else 1."""
    report = asyncio.run(_verify())
    print(json.dumps(report, ensure_ascii=False))
    return 0 if report["intact"] else 1


async def _verify() -> dict[str, Any]:
    from assay.local.audit_verification import verify_trail
    from assay.local.cipher import Cipher

    services = build_services()
    try:
        settings = services.settings
        if settings.table_name:
            raise ConfigError("On AWS the audit events are in the log group, not in a file of this machine.")
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return await verify_trail(settings.home, Cipher.of(settings).keys, services.table)
    finally:
        await services.close()
