"""Client of the Lambda function that renders pages in Chromium."""

import json
import zlib
from typing import TYPE_CHECKING, Any

from assay.aws.s3_bucket import S3Bucket
from assay.aws.service_calls import ServiceCalls
from assay.chromium import render_protocol
from assay.errors import Network, UpstreamFailed
from assay.net.exceptions import Unreachable
from assay.settings import Settings
from assay.state.ports import Bucket, Rendered

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

MAX_CHARACTER_BYTES = 12  # maximum JSON bytes for one character: two \uXXXX escapes
MAX_EXTRAS_BYTES = 32 * 1024 * 1024  # maximum size of screenshot, links and console messages together
MARGIN_SECONDS = 15.0  # seconds added to the render's time limit for the function's start and the network


class LambdaBrowser:
    """ports.Browser that invokes the function named by the settings.

    A result too large for Lambda's response is read from the bucket.

    The role needs lambda:InvokeFunction, and s3:GetObject and s3:DeleteObject below `render/`.
    """

    def __init__(self, settings: Settings, client: "LambdaClient | None" = None, bucket: Bucket | None = None) -> None:
        self._settings = settings
        self._remote: ServiceCalls[LambdaClient] = ServiceCalls(
            "lambda", client, seconds=60 + MARGIN_SECONDS, attempts=1
        )
        own = S3Bucket(settings.bucket_name)
        self._bucket: Bucket = bucket or own
        self._closes: tuple[ServiceCalls[LambdaClient] | S3Bucket, ...] = (self._remote, own)

    async def render(
        self, url: str, *, settle: float, seconds: float, screenshot: bool = False, console: bool = False
    ) -> Rendered:
        """See ports.Browser."""
        event = render_protocol.build_request(
            url, self._settings, settle=settle, seconds=seconds, screenshot=screenshot, console=console
        )
        answer = await self._remote.ask(lambda client: self._invoke_function(client, event))
        if name := answer.get("kept"):
            body = await self._bucket.get(name)
            if body is None:
                raise Network("The stored result of the rendered page no longer exists; call again.", retry_after=1)
            await self._bucket.delete(name)
            answer = json.loads(self._decompress(body))
        return render_protocol.decode_result(answer)

    async def close(self) -> None:
        for each in self._closes:
            await each.close()

    def _decompress(self, body: bytes) -> bytes:
        """Decompress a stored result. Raises UpstreamFailed when it is damaged or larger than the limit."""
        limit = MAX_CHARACTER_BYTES * self._settings.max_html_bytes + MAX_EXTRAS_BYTES
        engine = zlib.decompressobj(31)
        try:
            answer = engine.decompress(body, limit)
        except zlib.error as broken:
            raise UpstreamFailed("The stored result of the rendered page is damaged; call again.") from broken
        if engine.unconsumed_tail or not engine.eof:
            raise UpstreamFailed(f"The rendered page is larger than {limit:,} bytes, the limit for a page.")
        return answer

    def _invoke_function(self, client: "LambdaClient", event: render_protocol.Wire) -> dict[str, Any]:
        answer = client.invoke(FunctionName=self._settings.browser_function, Payload=json.dumps(event).encode())
        with answer["Payload"] as body:
            payload = body.read()
        if "FunctionError" in answer:  # timeout or out of memory: the function's log has the reason
            raise Unreachable("The browser function failed while it rendered this page; call again.", "reset")
        result: dict[str, Any] = json.loads(payload)
        return result
