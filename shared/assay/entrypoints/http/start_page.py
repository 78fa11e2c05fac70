"""The HTML start page of the local server: what it is and how to connect to it."""

from html import escape

from assay import __version__

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Assay</title>
<h1>Assay {version}</h1>
<p>Research tools for people and AI agents who must show their sources. This server is for programs:</p>
<dl>
<dt>MCP (Streamable HTTP)</dt>
<dd><code>{base}/mcp</code><br><code>claude mcp add --transport http assay {base}/mcp</code></dd>
<dt>HTTP</dt>
<dd><code>curl -s {base}/tools/web_search -d '{{"query": "otters sea kelp"}}'</code></dd>
<dt>Catalogue</dt>
<dd><a href="tools">GET /tools</a> lists the tools with their schemas,
<a href="openapi.json">GET /openapi.json</a> is the same as OpenAPI</dd>
<dt>Health</dt>
<dd><a href="health/live">GET /health/live</a>, <a href="health/ready">GET /health/ready</a></dd>
</dl>
<p>If keys are configured, send <code>Authorization: Bearer &lt;key&gt;</code> with each request.</p>
</html>
"""


def format_page(base: str) -> str:
    """The page for the server at the URL `base`, which comes from the request and therefore is escaped."""
    return PAGE.format(version=escape(__version__), base=escape(base.rstrip("/")))
