"""Calls to one AWS service from worker threads, with its errors translated to the errors of this package."""

import sys
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from assay.aws.aws_environment import read_environment
from assay.aws.light_clients import create_light_client
from assay.aws.signed_http import THROTTLES, NoAnswer, ServiceRefusal
from assay.errors import DependencyUnavailable, Misconfigured, Network, ToolError

if TYPE_CHECKING:  # imported by the calls that need them: MCP lists are served without
    from concurrent.futures import ThreadPoolExecutor

THREADS, CONNECTIONS = 50, 64  # more connections than threads, so that no thread waits for one
_creation_lock = Lock()  # boto3.client() is not thread-safe


def create_client(service: str, seconds: float = 10, attempts: int = 3) -> Any:
    """Create a client: 2 s connect timeout, `seconds` read timeout, at most `attempts` requests for a call.

    It is boto3's for other services, and where the environment lacks region or credentials.
    """
    if (client := create_light_client(service, read_environment(), seconds=seconds, attempts=attempts)) is not None:
        return client
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


class ServiceCalls[Client]:
    """The client of one service, created at first use and shared by a thread pool."""

    def __init__(self, service: str, client: Client | None = None, *, seconds: float = 10, attempts: int = 3) -> None:
        self._service = service
        self._seconds, self._attempts = seconds, attempts
        self._client = client
        self._client_lock = Lock()

    @cached_property
    def _threads(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(THREADS, thread_name_prefix=self._service)

    def prepare(self) -> None:
        """Create the client and the thread pool, which the first call otherwise does."""
        self._get_client()
        _ = self._threads

    async def ask[T](self, step: Callable[[Client], T]) -> T:
        """Run `step` in a thread. Raises what `ask_now` raises."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(self._threads, self.ask_now, step)

    def forget_client(self) -> None:
        """Close the client; the next call creates another."""
        with self._client_lock:
            if self._client is not None:
                self._client.close()  # type: ignore[attr-defined]
            self._client = None

    async def close(self) -> None:
        if "_threads" in self.__dict__:
            self._threads.shutdown()
        if self._client is not None:
            self._client.close()  # type: ignore[attr-defined]

    def ask_now[T](self, step: Callable[[Client], T]) -> T:
        """Run `step`. Blocks.

        Raises Conflict for a failed condition, DependencyUnavailable when the service is busy or failing, Network when
        it gives no answer, Misconfigured when no request can be sent (no region, no credentials), ToolError for any
        other error response.
        """
        try:
            return step(self._get_client())
        except ServiceRefusal as refusal:
            raise to_error(self._service, refusal) from refusal
        except NoAnswer as failure:
            raise self._no_answer() from failure
        except Exception as failure:
            if "botocore.exceptions" not in sys.modules:
                raise
            raise self._translate(failure) from failure

    def _translate(self, failure: Exception) -> Exception:
        """The error for an exception of botocore; others stay as they are."""
        from botocore import exceptions as boto

        if isinstance(failure, boto.ClientError):
            return to_error(self._service, failure)
        if isinstance(failure, boto.ConnectionError | boto.HTTPClientError | boto.IncompleteReadError):
            return self._no_answer()
        if isinstance(failure, boto.BotoCoreError):
            return Misconfigured(f"No request can be sent to {self._service}: {failure}", provider=self._service)
        return failure

    def _no_answer(self) -> Network:
        return Network(f"{self._service} does not answer.", provider=self._service, retry_after=1)

    def _get_client(self) -> Client:
        with self._client_lock:
            if self._client is None:
                self._client = create_client(self._service, self._seconds, self._attempts)
            return self._client


def read_error_code(failure: Exception) -> str:
    """The code of an error response as either kind of client raises it; "" for other exceptions."""
    code: str = getattr(failure, "response", {}).get("Error", {}).get("Code", "")
    return code


def to_error(service: str, refusal: Any) -> Exception:
    """Translate an error response: Conflict, DependencyUnavailable if the service is busy or fails, else ToolError."""
    code = read_error_code(refusal)
    metadata = refusal.response.get("ResponseMetadata", {})
    if code == "ConditionalCheckFailedException":
        from assay.state.ports import Conflict

        return Conflict(f"{service}: the stored version differs from the expected one")
    if code in THROTTLES or metadata.get("HTTPStatusCode", 0) >= 500:
        return DependencyUnavailable(f"{service} is busy ({code}).", provider=service, retry_after=1)
    return ToolError(f"{service} rejected the request ({code}).", provider=service)


def was_retried(conflict: Exception) -> bool:
    """Whether the client sent the request more than once: the conflict may come from its own first attempt."""
    metadata: dict[str, Any] = getattr(conflict.__cause__, "response", {}).get("ResponseMetadata", {})
    return bool(metadata.get("RetryAttempts"))
