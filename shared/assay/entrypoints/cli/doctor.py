"""`assay doctor`: checks the installation and its configuration, and names a remedy for each problem."""

import os
import platform
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from assay import __version__
from assay.entrypoints.listing import format_requirements, tools_lacking
from assay.errors import ToolError
from assay.provider_base.provider_manifest import describe_provider
from assay.settings import Settings
from assay.toolkit import tool_registry

INFERENCE_SECONDS = 60.0  # for loading a model and one pair of sentences
MARKS = {"works": "✓", "missing": "–", "broken": "✗"}


@dataclass(frozen=True)
class Finding:
    """The result of one check: `missing` is an option that is not configured, `broken` is a fault."""

    what: str
    state: Literal["works", "missing", "broken"]
    detail: str

    def wire(self) -> dict[str, Any]:
        return asdict(self)


async def run_checks(settings: Settings | None = None, *, reach: bool = False) -> list[Finding]:
    """Run all checks. With `reach`, send one real request to each configured provider."""
    try:
        settings = settings or Settings.read()
    except ToolError as failure:
        return [Finding("configuration", "broken", failure.message)]
    findings = [Finding("assay", "works", f"{__version__} on Python {platform.python_version()}")]
    for what, check in (("state", check_state), ("reading", check_reader), ("keys", check_keys)):
        findings.append(await _run_check(what, check, settings))
    findings += [check_sandbox(), await check_browser(settings), check_model(settings), await check_inference(settings)]
    findings += await check_search(settings, reach)
    return [*findings, *check_tools(settings)]


async def _run_check(what: str, check: Callable[[Settings], Awaitable[str]], settings: Settings) -> Finding:
    try:
        return Finding(what, "works", await check(settings))
    except (ToolError, OSError) as failure:
        return Finding(what, "broken", str(failure))


async def check_state(settings: Settings) -> str:
    from assay.bootstrap import build_services

    services = build_services(settings)
    try:
        await services.table.put("doctor", "-", b"well", until=services.clock() + 60)
        await services.bucket.put("doctor", b"well", until=services.clock() + 60)
        item, body = await services.table.get("doctor"), await services.bucket.get("doctor")
    finally:
        await services.close()
    if item is None or item.value != b"well" or body != b"well":
        raise OSError("reading back a test entry failed")
    return (
        f"table and bucket of {settings.table_name}" if settings.table_name else f"SQLite and files in {settings.home}"
    )


async def check_reader(_: Settings) -> str:
    from assay.documents import READABLE
    from assay.html.parser.html_tree import open_html
    from assay.html.reader.main_content import read_main_content

    page = "<article><h1>Well</h1><p>This page is read by the doctor to see that pages can be read.</p></article>"
    with open_html(page) as tree:
        text = read_main_content(tree, "https://example.org/").markdown
    if "read by the doctor" not in text:
        raise OSError("extracting text from a test page failed")
    from assay.documents.sandbox_pool import can_confine

    return READABLE if can_confine() else "HTML and text; documents (PDF, Office, EPUB, feeds) need Linux or macOS"


def check_sandbox() -> Finding:
    """Whether the kernel can sandbox the processes that read documents and pages."""
    from assay.documents.sandbox import missing_rights_control

    if missing := missing_rights_control():
        return Finding("sandbox", "missing", missing)
    return Finding(
        "sandbox",
        "works",
        "readers of documents and pages cannot access the network, start processes or open your files",
    )


async def check_browser(settings: Settings) -> Finding:
    """Whether a browser is available and renders a test page with JavaScript."""
    what = "browser"
    if settings.table_name:
        named = settings.browser_function
        return Finding(
            what,
            "works" if named else "missing",
            f"the function {named}" if named else "no browser function is configured",
        )
    from assay.chromium.launch_options import executable

    path = executable(settings)
    if path is None:
        return Finding(
            what,
            "missing",
            f"scrape_page and crawls read pages without JavaScript; {_no_browser(settings)}",
        )
    from assay.chromium.self_test import run_self_test

    return await _run_check(what, run_self_test, settings)


def _no_browser(settings: Settings) -> str:
    if os.name != "posix":
        return "rendering needs Linux or macOS"
    return "CHROME_PATH is disabled" if settings.chrome_path == "disabled" else "install Chromium or set CHROME_PATH"


def check_model(settings: Settings) -> Finding:
    """Which model extracts facts and compares claims. No request is sent, because it may cost money."""
    what, name, at = "model", settings.key("LLM_MODEL"), settings.key("LLM_BASE_URL")
    if at and not name:
        return Finding(what, "broken", "LLM_BASE_URL is set but LLM_MODEL is not; set LLM_MODEL")
    if not name:
        way = "set LLM_BASE_URL and LLM_MODEL, or LLM_MODEL alone for Bedrock"
        return Finding(what, "missing", f"cinder_extract reads only structured data in pages; {way}")
    limited = settings.max_call_cost is not None or settings.daily_budget is not None
    if limited and (settings.llm_input_price is None or settings.llm_output_price is None):
        return Finding(
            what,
            "broken",
            "a budget is set but the price is not; set LLM_INPUT_USD_PER_MILLION and LLM_OUTPUT_USD_PER_MILLION",
        )
    return Finding(what, "works", f"{name} {'at LLM_BASE_URL' if at else 'in Bedrock'}")


async def check_inference(settings: Settings) -> Finding:
    """Which model compares claims with their sources. A model on this machine is tried; an endpoint is not."""
    what = "inference"
    if settings.nli_model is not None:
        return await _run_check(what, _try_inference, settings)
    if settings.key("NLI_BASE_URL"):
        return Finding(what, "works", "the endpoint at NLI_BASE_URL")
    way = "set NLI_MODEL_PATH or NLI_BASE_URL for a model"
    return Finding(what, "missing", f"claims are compared with their sources by words or by LLM_MODEL; {way}")


async def _try_inference(settings: Settings) -> str:
    from assay.bootstrap import onnx_inference

    model = onnx_inference(settings)
    assert model is not None
    await model.classify(["Otters hold hands."], "Otters hold hands.", seconds=INFERENCE_SECONDS)
    errors, trials = settings.nli_trials
    measured = f"{errors} errors in {trials} trials" if trials else "its threshold is not measured"
    return f"{model.name}; {measured} (NLI_DEVELOPMENT_TRIALS)"


async def check_keys(settings: Settings) -> str:
    from assay.entrypoints.auth import ring

    if settings.api_keys.startswith("ssm:"):
        return f"callers' keys come from {settings.api_keys}"
    count = len(ring(settings.api_keys).keys)
    return f"{count} callers' keys" if count else "no callers' keys: only this machine can connect"


async def check_search(settings: Settings, reach: bool) -> list[Finding]:
    """One finding per provider: its configuration and price and, with `reach`, whether it answers."""
    from assay.bootstrap import build_services
    from assay.entrypoints.cli import provider_checks

    if not reach:
        upstreams = provider_checks.list_providers(settings)
    else:
        services = build_services(settings)
        try:
            upstreams = await provider_checks.check_providers(services)
        finally:
            await services.close()
    lacking = tools_lacking(settings)
    findings = [
        Finding(
            f"provider {one.name}",
            "missing" if not one.configured else "broken" if one.answers is False else "works",
            one.detail if one.configured else one.detail + _list_affected_tools(one.name, lacking),
        )
        for one in upstreams
    ]
    return [*findings, Finding("budget", "works", provider_checks.limits(settings))]


def _list_affected_tools(provider: str, lacking: Iterable[str]) -> str:
    """Format the unconfigured tools that this provider would enable."""
    source = describe_provider(provider)
    short = [tool_registry.find_tool(name) for name in lacking]
    tools = [
        tool.name
        for tool in short
        if tool.provider == provider or (tool.operation is not None and source.supports(tool.operation))
    ]
    return f"; {', '.join(tools)} would work with it" if tools else ""


def check_tools(settings: Settings) -> list[Finding]:
    """One finding for the usable tools, and one for each unconfigured tool with what it needs."""
    lacking = tools_lacking(settings)
    usable = [name for name in tool_registry.tool_names() if name not in lacking]
    return [
        Finding("tools", "works", ", ".join(usable)),
        *(Finding(f"tool {name}", "missing", format_requirements(needed)) for name, needed in lacking.items()),
    ]


def format_findings(findings: list[Finding]) -> str:
    return "\n".join(f"{MARKS[finding.state]} {finding.what}: {finding.detail}" for finding in findings)
