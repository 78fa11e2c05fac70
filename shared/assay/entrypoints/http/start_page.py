"""The start page: what this server is, how to connect to it, and where its console is."""

from html import escape

from assay import __version__
from assay.entrypoints.http.sign_in_pages import format_page

BODY = """<p>Research tools for people and AI agents who must show their sources. Version {version}.</p>
<ul>
<li><a href="/console">Console</a>: try a tool, and see what is stored and what happens here</li>
<li><a href="/docs/connect">Connect a client</a>: lines to copy for every assistant and editor</li>
<li><a href="/docs">Reference</a> of the HTTP API</li>
</ul>
<h2>MCP (Streamable HTTP)</h2>
<p><code>claude mcp add --transport http assay {base}/mcp</code></p>
<h2>HTTP</h2>
<p><code>curl -s {base}/tools/web_search -d '{{"query": "otters sea kelp"}}'</code></p>
<p>If keys are configured, send <code>Authorization: Bearer &lt;key&gt;</code> with each request.</p>
<h2>For programs</h2>
<ul>
<li><a href="/tools">GET /tools</a>: the tools with their schemas</li>
<li><a href="/openapi.json">GET /openapi.json</a>: the same as OpenAPI</li>
<li><a href="/health/live">GET /health/live</a>, <a href="/health/ready">GET /health/ready</a>: for monitors</li>
</ul>"""


def format_start_page(base: str) -> str:
    """The page for the server at the URL `base`, which comes from the request and therefore is escaped."""
    return format_page("Start", [BODY.format(version=escape(__version__), base=escape(base.rstrip("/")))])
