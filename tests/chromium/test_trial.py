"""`assay doctor` finds the browser, reports its version and tests rendering."""

import pytest

from assay.entrypoints.cli import doctor
from assay.settings import Settings


async def find_browser(tmp_path, **environ):
    findings = await doctor.run_checks(Settings.read({"ASSAY_HOME": str(tmp_path), **environ}))
    return next(one for one in findings if one.what == "browser")


async def test_a_browser_is_named_and_tried(tmp_path, chrome):
    finding = await find_browser(tmp_path, CHROME_PATH=chrome)
    assert finding.state == "works"
    assert "headless" in finding.detail
    assert any(letter.isdigit() for letter in finding.detail)


async def test_a_browser_is_tried_whatever_domains_are_allowed(tmp_path, chrome):
    assert (await find_browser(tmp_path, CHROME_PATH=chrome, ALLOWED_DOMAINS="example.org")).state == "works"


@pytest.mark.parametrize(
    ("path", "state", "says"),
    [
        ("disabled", "missing", "disabled"),
        ("/nowhere", "missing", "install Chromium"),
        ("/bin/false", "broken", "does not respond"),
    ],
)
async def test_without_a_browser_everything_else_works_and_it_is_reported(tmp_path, path, state, says):
    finding = await find_browser(tmp_path, CHROME_PATH=path)
    assert finding.state == state
    assert says in finding.detail
