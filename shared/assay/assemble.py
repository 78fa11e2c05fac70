"""The one place that chooses a world: AWS where a table is named, otherwise this machine."""

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, cast

from assay.context import Services
from assay.settings import Settings

if TYPE_CHECKING:  # most calls of the command line need none of these
    from assay.chromium.browser import Chromium
    from assay.local import Cipher, FileBucket, SqliteQueue, SqliteTable
    from assay.ports import Browser, Bucket, Model, Queue, Table


def assembled(settings: Settings | None = None) -> Services:
    """Services of the world that the settings describe."""
    settings = settings or Settings.read()
    logging.getLogger("assay").setLevel(settings.log_level)
    return in_aws(settings) if settings.table_name else here(settings)


def in_aws(settings: Settings) -> Services:
    """`ASSAY_SETTINGS=ssm:/a/parameter` has more settings in it, provider keys above all; the environment's own win."""
    from assay.audit import Tally
    from assay.aws import DynamoTable, LambdaBrowser, S3Bucket, SqsQueue, parameters, record

    parameter = settings.key("ASSAY_SETTINGS").removeprefix("ssm:")
    if parameter:
        own = {name: value for name, value in settings.environ.items() if value}
        settings = Settings.read({**parameters.settings(parameter), **own})
    return Services(
        settings,
        DynamoTable(settings.table_name),
        S3Bucket(settings.bucket_name),
        queue=SqsQueue(settings.queue_url) if settings.queue_url else None,
        browser=LambdaBrowser(settings) if settings.browser_function else None,
        model=bedrock(settings),
        observers=[Tally(), record],
    )


def bedrock(settings: Settings) -> "Model | None":
    """The model that LLM_MODEL names, where LLM_BASE_URL does not say where else it is."""
    if not settings.key("LLM_MODEL") or settings.key("LLM_BASE_URL"):
        return None
    from assay.aws.bedrock import Bedrock

    return Bedrock(settings.key("LLM_MODEL"))


def here(settings: Settings, clock: Callable[[], float] = time.time) -> Services:
    from assay.audit import AuditFile, Tally
    from assay.late import Late

    home = settings.home

    @cache
    def cipher() -> "Cipher":
        from assay.local import Cipher

        return Cipher.of(settings)

    def table() -> "SqliteTable":
        from assay.local import SqliteTable

        return SqliteTable(home / "assay.sqlite3", cipher(), clock=clock)

    def bucket() -> "FileBucket":
        from assay.local import FileBucket

        return FileBucket(home / "bucket", cipher(), clock=clock)

    def queue() -> "SqliteQueue":
        from assay.local import SqliteQueue

        return SqliteQueue(settings.queue_path, cipher(), clock=clock)

    services = Services(
        settings,
        cast("Table", Late(table)),
        cast("Bucket", Late(bucket)),
        queue=cast("Queue", Late(queue)),
        works=True,
        model=bedrock(settings),
        clock=clock,
        observers=[Tally(), AuditFile(home / "audit.jsonl")],
    )

    def browser() -> "Chromium":
        from assay.chromium.browser import Chromium

        return Chromium(settings, **services.web_seams)

    if settings.chrome_path != "disabled":
        services.browser = cast("Browser", Late(browser))
    return services
