"""Calls to one AWS service from worker threads, with botocore's errors translated to the errors of this package."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyUnavailable, Misconfigured, Network, ToolError
from assay.state.ports import Conflict

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

THREADS, CONNECTIONS = 50, 64  # more connections than threads, so that no thread waits for one
BUSY = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
_creation_lock = Lock()  # boto3.client() is not thread-safe


def create_client(service: str, seconds: float = 10, attempts: int = 3) -> Any:
    """Create a boto3 client: 2 s connect timeout, `seconds` read timeout, at most `attempts` requests for a call."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=2,
        read_timeout=seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=CONNECTIONS,
        tcp_keepalive=True,
    )
    with _creation_lock:
        return boto3.client(service, config=config)  # type: ignore[call-overload]


class BotoClient[Client]:
    """boto3 client of one service, created at first use and shared by a thread pool."""

    def __init__(self, service: str, client: Client | None = None, *, seconds: float = 10, attempts: int = 3) -> None:
        self._service = service
        self._seconds, self._attempts = seconds, attempts
        self._client = client
        self._client_lock = Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=service)

    async def ask[T](self, step: Callable[[Client], T]) -> T:
        """Run `step` in a thread. Raises what `ask_now` raises."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.ask_now, step)

    async def close(self) -> None:
        self._threads.shutdown()
        if self._client is not None:
            self._client.close()  # type: ignore[attr-defined]

    def ask_now[T](self, step: Callable[[Client], T]) -> T:
        """Run `step`. Blocks.

        Raises Conflict for a failed condition, DependencyUnavailable when the service is busy or failing, Network when
        it gives no answer, Misconfigured when no request can be sent (no region, no credentials), ToolError for any
        other error response.
        """
        from botocore import exceptions as boto

        try:
            return step(self._get_client())
        except boto.ClientError as refusal:
            raise to_error(self._service, refusal) from refusal
        except (boto.ConnectionError, boto.HTTPClientError, boto.IncompleteReadError) as failure:
            raise Network(f"{self._service} does not answer.", provider=self._service, retry_after=1) from failure
        except boto.BotoCoreError as failure:
            raise Misconfigured(
                f"No request can be sent to {self._service}: {failure}", provider=self._service
            ) from failure

    def _get_client(self) -> Client:
        with self._client_lock:
            if self._client is None:
                self._client = create_client(self._service, self._seconds, self._attempts)
            return self._client


def to_error(service: str, refusal: "ClientError") -> Exception:
    """Translate an error response: Conflict, DependencyUnavailable if the service is busy or fails, else ToolError."""
    code = refusal.response.get("Error", {}).get("Code", "")
    metadata = refusal.response.get("ResponseMetadata", {})
    if code == "ConditionalCheckFailedException":
        return Conflict(f"{service}: the stored version differs from the expected one")
    if code in BUSY or metadata.get("HTTPStatusCode", 0) >= 500:
        return DependencyUnavailable(f"{service} is busy ({code}).", provider=service, retry_after=1)
    return ToolError(f"{service} rejected the request ({code}).", provider=service)


def was_retried(conflict: Conflict) -> bool:
    """Whether botocore sent the request more than once: the conflict may come from its own first attempt."""
    metadata: dict[str, Any] = getattr(conflict.__cause__, "response", {}).get("ResponseMetadata", {})
    return bool(metadata.get("RetryAttempts"))
