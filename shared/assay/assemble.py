"""The one place that chooses a world: AWS where a table is named, otherwise this machine."""

import logging
import time
from collections.abc import Callable

from assay.context import Services
from assay.settings import Settings


def assembled(settings: Settings | None = None) -> Services:
    """Services of the world that the settings describe."""
    settings = settings or Settings.read()
    logging.getLogger("assay").setLevel(settings.log_level)
    return in_aws(settings) if settings.table_name else here(settings)


def in_aws(settings: Settings) -> Services:
    """`ASSAY_SETTINGS=ssm:/a/parameter` has more settings in it, provider keys above all; the environment's own win."""
    from assay.audit import Tally
    from assay.aws import DynamoTable, S3Bucket, parameters, record

    parameter = settings.key("ASSAY_SETTINGS").removeprefix("ssm:")
    if parameter:
        own = {name: value for name, value in settings.environ.items() if value}
        settings = Settings.read({**parameters.settings(parameter), **own})
    return Services(
        settings,
        DynamoTable(settings.table_name),
        S3Bucket(settings.bucket_name),
        observers=[Tally(), record],
    )


def here(settings: Settings, clock: Callable[[], float] = time.time) -> Services:
    from assay.audit import AuditFile, Tally
    from assay.local import Cipher, FileBucket, SqliteTable

    home = settings.home
    cipher = Cipher.of(settings)
    return Services(
        settings,
        SqliteTable(home / "assay.sqlite3", cipher, clock=clock),
        FileBucket(home / "bucket", cipher, clock=clock),
        clock=clock,
        observers=[Tally(), AuditFile(home / "audit.jsonl")],
    )
