"""Pages rendered by the Lambda that has a Chromium."""

import json
import zlib
from typing import TYPE_CHECKING, Any

from assay.aws.boto_client import BotoClient
from assay.aws.s3_bucket import S3Bucket
from assay.chromium import render_protocol
from assay.errors import Network, UpstreamFailed
from assay.net.exceptions import Unreachable
from assay.settings import Settings
from assay.state.ports import Bucket, Rendered

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

ESCAPED = 12  # bytes of JSON that a character of a page may take, as a pair of escapes
PICTURE_BYTES = 32 * 1024 * 1024  # of a screenshot, the links and what the console says
MARGIN = 15.0  # seconds beyond a render's own: the function's start and the way there


class LambdaBrowser:
    """ports.Browser by the function that the settings name. What is too large for an answer comes by the bucket.

    The role needs lambda:InvokeFunction, and s3:GetObject and s3:DeleteObject below `render/`.
    """

    def __init__(self, settings: Settings, client: "LambdaClient | None" = None, bucket: Bucket | None = None) -> None:
        self._settings = settings
        self._remote: BotoClient[LambdaClient] = BotoClient("lambda", client, seconds=60 + MARGIN, attempts=1)
        own = S3Bucket(settings.bucket_name)
        self._bucket: Bucket = bucket or own
        self._closes: tuple[BotoClient[LambdaClient] | S3Bucket, ...] = (self._remote, own)

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
                raise Network("The rendered page was kept and is gone; call again.", retry_after=1)
            await self._bucket.delete(name)
            answer = json.loads(self._decompress(body))
        return render_protocol.decode_result(answer)

    async def close(self) -> None:
        for each in self._closes:
            await each.close()

    def _decompress(self, body: bytes) -> bytes:
        """The kept answer. Raises UpstreamFailed for one that is larger than any page the function may give back."""
        most = ESCAPED * self._settings.max_html_bytes + PICTURE_BYTES
        engine = zlib.decompressobj(31)
        try:
            answer = engine.decompress(body, most)
        except zlib.error as broken:
            raise UpstreamFailed("The rendered page that was kept is damaged; call again.") from broken
        if engine.unconsumed_tail or not engine.eof:
            raise UpstreamFailed(f"The rendered page is larger than {most:,} bytes, which no page may be.")
        return answer

    def _invoke_function(self, client: "LambdaClient", event: render_protocol.Wire) -> dict[str, Any]:
        answer = client.invoke(FunctionName=self._settings.browser_function, Payload=json.dumps(event).encode())
        with answer["Payload"] as body:
            told = body.read()
        if "FunctionError" in answer:  # out of time or memory: its log says which
            raise Unreachable("The browser's function ended over this page; call again.", "reset")
        found: dict[str, Any] = json.loads(told)
        return found
