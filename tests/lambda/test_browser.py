"""The browser's function in the root of its image: read-only, a plain user, /tmp alone to write to."""

import json
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from infra.scripts import browser_image
from infra.scripts.stack import ROOT

from assay.aws.remote_browser import LambdaBrowser
from assay.aws.s3_bucket import S3Bucket
from assay.errors import InvalidInput
from assay.settings import Settings

SEAMED = Path(__file__).with_name("render_function")
PAGE = (
    "<title>waiting</title><div id=root></div><script>setTimeout(async () => {"
    "root.textContent = await (await fetch('/api')).text(); document.title = 'done' }, 100)</script>"
)


@pytest.fixture(scope="session")
def layer(tmp_path_factory):
    done = subprocess.run([ROOT / "infra/scripts/chromium"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return browser_image.build_layer(tmp_path_factory.mktemp("image"))


@pytest.fixture
def function(layer, site, cloud):
    environment = cloud.environment() | {"PORT": str(urlsplit(site.url).port)}
    with browser_image.running(layer, environment, SEAMED) as running:
        yield running


class FakeLambdaClient:
    """boto3's lambda client, as far as it is asked: the emulator behind it."""

    def __init__(self, function):
        self.function, self.answers = function, []

    def invoke(self, FunctionName, Payload):  # noqa: N803
        from io import BytesIO

        answer = self.function.call(json.loads(Payload))
        self.answers.append(answer)
        failed = {"FunctionError": "Unhandled"} if "errorMessage" in answer else {}
        return {"Payload": BytesIO(json.dumps(answer).encode()), **failed}

    def close(self):
        pass


async def test_the_function_renders_in_a_root_that_cannot_be_written(function, site, cloud):
    site.says("/api", "from the api", kind="text/plain")
    site.says("/app", PAGE)
    site.says("/static", "<title>Still</title><p>static")
    settings = Settings.read({"ASSAY_BROWSER": "Browser", "ASSAY_BUCKET": cloud.bucket})
    client = FakeLambdaClient(function)
    browser = LambdaBrowser(settings, client, S3Bucket(cloud.bucket, cloud.s3))

    still = await browser.render("http://site.example/static", settle=0.5, seconds=20)
    assert (still.title, still.status) == ("Still", 200), function.log()
    page = await browser.render("http://site.example/app", settle=0.5, seconds=20, screenshot=True)
    assert (page.title, "from the api" in page.html) == ("done", True)
    assert page.screenshot.startswith(b"\x89PNG")

    with pytest.raises(InvalidInput) as failure:
        await browser.render("http://inward.example/", settle=0.5, seconds=5)
    assert "loopback" in failure.value.message
    assert "ConfigError" not in function.log()

    site.says("/large", "<title>Large</title><script type=application/json>" + "word " * 1_100_000)
    large = await browser.render("http://site.example/large", settle=0.2, seconds=20)
    assert large.title == "Large"
    assert len(large.html) > 5_000_000
    assert list(client.answers[-1]) == ["kept"]
    assert await S3Bucket(cloud.bucket, cloud.s3).get(client.answers[-1]["kept"]) is None


def test_the_function_as_it_is_deployed_refuses_to_look_inward(layer):
    with browser_image.running(layer) as function:
        answer = function.call(
            {"url": "http://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "settle": 0, "seconds": 5}
        )
        assert answer["failure"]["kind"] == "OffLimits", function.log()
        answer = function.call({"url": "http://169.254.169.254/", "settle": 0, "seconds": 5})
        assert answer["failure"]["kind"] == "OffLimits"
