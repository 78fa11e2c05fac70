"""Composition root: builds the services on AWS where a DynamoDB table is configured, else on this machine."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from assay.services import Services
from assay.settings import Settings
from assay.state.spans import check_library
from assay.state.trace_context import add_trace_ids

if TYPE_CHECKING:  # imported on first use: most commands need none of these
    from assay.chromium.browser import Chromium
    from assay.local.cipher import Cipher
    from assay.local.file_bucket import FileBucket
    from assay.local.sqlite_queue import SqliteQueue
    from assay.local.sqlite_table import SqliteTable
    from assay.state.audit import Observer
    from assay.state.audit_source import AuditSource
    from assay.state.ports import Browser, Bucket, EmbeddingModel, InferenceModel, Model, Queue, TableStore


def build_services(settings: Settings | None = None, stored: str | None = None) -> Services:
    """The services that the settings select, with `stored` settings instead of those of now. Raises ConfigError."""
    settings = settings or Settings.read()
    if stored is None:
        stored = read_stored_settings(settings)
    logging.getLogger("assay").setLevel(settings.log_level)
    logging.getLogger("assay").addFilter(add_trace_ids)  # the same function is added only once
    check_library(settings)
    return aws_services(settings, stored) if settings.table_name else local_services(settings)


def read_stored_settings(settings: Settings) -> str:
    """The JSON of further settings in the SSM parameter that `ASSAY_SETTINGS` names; "" if it names none.

    It is read again every five minutes, together with the parameter of the API keys. Raises Misconfigured or
    DependencyUnavailable.
    """
    parameter = settings.key("ASSAY_SETTINGS").removeprefix("ssm:")
    if not parameter or not settings.table_name:
        return ""
    from assay.aws.ssm import parameters

    if settings.api_keys.startswith("ssm:"):
        parameters().declare("ASSAY_API_KEYS", settings.api_keys.removeprefix("ssm:"))
    parameters().declare("ASSAY_SETTINGS", parameter)
    return parameters().read(parameter)


def aws_services(settings: Settings, stored: str = "") -> Services:
    """Services on DynamoDB, S3, SQS and Lambda, with `stored` settings where the environment has none."""
    from assay.aws.dynamodb_table import DynamoTable
    from assay.aws.remote_browser import LambdaBrowser
    from assay.aws.s3_bucket import S3Bucket
    from assay.aws.s3_uploads import S3Uploads
    from assay.aws.sqs_queue import SqsQueue
    from assay.aws.telemetry import record
    from assay.state.audit import CallCounters

    if stored:
        from assay.aws.ssm import parse_settings

        own = {name: value for name, value in settings.environ.items() if value}
        settings = Settings.read({**parse_settings(settings.key("ASSAY_SETTINGS"), stored), **own})
    table = DynamoTable(settings.table_name)
    audit_observers, audit_source = _open_audit_stream(settings, table)
    return Services(
        settings,
        table,
        S3Bucket(settings.bucket_name),
        queue=SqsQueue(settings.queue_url) if settings.queue_url else None,
        upload_target=S3Uploads(settings.bucket_name),
        browser=LambdaBrowser(settings) if settings.browser_function else None,
        model=bedrock(settings),
        embedding=bedrock_embeddings(settings),
        inference=onnx_inference(settings),
        observers=[CallCounters(), record, *audit_observers],
        audit_source=audit_source,
    )


def _open_audit_stream(settings: Settings, table: "TableStore") -> "tuple[list[Observer], AuditSource | None]":
    """The observer that writes audit events to their own bucket, to the webhook's outbox, or both, where one is set."""
    has_webhook = bool(settings.key("AUDIT_WEBHOOK_URL"))
    if not settings.audit_bucket and not has_webhook:
        return [], None
    from assay.aws.audit_stream import AuditOutbox, AuditStream
    from assay.aws.s3_bucket import S3Bucket

    stream = AuditStream(
        S3Bucket(settings.audit_bucket) if settings.audit_bucket else None,
        table,
        has_webhook=has_webhook,
        retention_seconds=settings.audit_retention_days * 86_400,
        buffer=settings.audit_buffer_size,
    )
    return [stream], AuditOutbox(table) if has_webhook else None


def bedrock(settings: Settings) -> "Model | None":
    """The Bedrock model that LLM_MODEL names; None if it is unset, or LLM_BASE_URL names another endpoint."""
    if not settings.key("LLM_MODEL") or settings.key("LLM_BASE_URL"):
        return None
    from assay.aws.bedrock import Bedrock

    return Bedrock(settings.key("LLM_MODEL"))


def bedrock_embeddings(settings: Settings) -> "EmbeddingModel | None":
    """The Bedrock model that EMBEDDING_MODEL names; None if it is unset, or EMBEDDING_BASE_URL names an endpoint."""
    if not settings.key("EMBEDDING_MODEL") or settings.key("EMBEDDING_BASE_URL"):
        return None
    from assay.aws.bedrock_embeddings import BedrockEmbeddings

    return BedrockEmbeddings(settings.key("EMBEDDING_MODEL"))


def onnx_inference(settings: Settings) -> "InferenceModel | None":
    """The inference model in the folder that NLI_MODEL_PATH names; None if it is unset."""
    if settings.nli_model is None:
        return None
    from assay.language_models.onnx_inference import OnnxInference

    return OnnxInference(settings.nli_model)


def local_services(settings: Settings, clock: Callable[[], float] = time.time) -> Services:
    """Services on SQLite and encrypted files below `settings.home`, each opened on first use."""
    from assay.local.audit_files import AuditFiles
    from assay.local.audit_trail import AuditTrail
    from assay.state.audit import CallCounters
    from assay.state.lazy import LazyProxy

    stores = _LocalStores(settings, clock)
    trail = AuditTrail(
        settings.home,
        lambda: stores.cipher.keys,
        max_bytes=settings.audit_max_bytes,
        retention_seconds=settings.audit_retention_days * 86_400,
        buffer=settings.audit_buffer_size,
        clock=clock,
        note_creation=stores.note_audit_stream,
    )
    services = Services(
        settings,
        cast("TableStore", LazyProxy(stores.open_table)),
        cast("Bucket", LazyProxy(stores.open_bucket)),
        queue=cast("Queue", LazyProxy(stores.open_queue)),
        runs_workers=True,
        model=bedrock(settings),
        embedding=bedrock_embeddings(settings),
        inference=onnx_inference(settings),
        clock=clock,
        audit_source=AuditFiles(settings.home, lambda: stores.cipher.keys),
        observers=[CallCounters(), trail],
        on_close=[trail.flush],
    )

    def open_browser() -> "Chromium":
        from assay.chromium.browser import Chromium

        return Chromium(settings, **services.web_overrides)

    if settings.chrome_path != "disabled":
        services.browser = cast("Browser", LazyProxy(open_browser))
    return services


@dataclass
class _LocalStores:
    """Opens the stores of a laptop. They share a cipher, which reads or creates the key file."""

    settings: Settings
    clock: Callable[[], float]

    def note_audit_stream(self, stream: str) -> None:
        """Note in the table that a trail begins, unless it has one."""
        from assay.local.audit_verification import note_creation

        note_creation(self.open_table(), stream)

    @cached_property
    def cipher(self) -> "Cipher":
        from assay.local.cipher import Cipher

        return Cipher.of(self.settings)

    def open_table(self) -> "SqliteTable":
        from assay.local.sqlite_table import SqliteTable

        return SqliteTable(self.settings.home / "assay.sqlite3", self.cipher, clock=self.clock)

    def open_bucket(self) -> "FileBucket":
        from assay.local.file_bucket import FileBucket

        return FileBucket(self.settings.home / "bucket", self.cipher, clock=self.clock)

    def open_queue(self) -> "SqliteQueue":
        from assay.local.sqlite_queue import SqliteQueue

        return SqliteQueue(self.settings.queue_path, self.cipher, clock=self.clock)
