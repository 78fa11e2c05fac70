"""The table of pages of the console, from which its routes, its navigation and the tests of all pages are made.

A page is a row here, an asynchronous function `(PageVisit) -> Response` in a module beside this one, and a template.
"""

from typing import NamedTuple

HOME = "/console"
ADMIN = "admin"  # the scope of administrators
ASSETS = "/console/assets/"
IMAGES = "/console/image"


class ConsolePage(NamedTuple):
    """One page, or one form that a page sends.

    `handler` is `module:function`, imported by the first request. `nav` is its name in the navigation, "" for a page
    that others lead to. `scope` is what a person must have; the user of a machine where nobody signs in has every one.
    A page that `is_public` is also for those who have not signed in. The same form sent again within
    `once_seconds` does nothing and receives the answer to the first; 0 is for forms that change nothing.
    """

    method: str
    path: str
    handler: str
    title: str
    nav: str = ""
    scope: str = ""
    is_public: bool = False
    once_seconds: int = 3_600


PAGES = (
    ConsolePage("GET", HOME, "overview_page:show_overview", "Console", nav="Overview"),
    ConsolePage("GET", "/console/tools", "tool_pages:list_tools", "Tools", nav="Tools"),
    ConsolePage("GET", "/console/tools/{name}", "tool_pages:show_tool", "Try a tool"),
    ConsolePage("POST", "/console/tools/{name}", "tool_pages:run_tool", "Try a tool"),
    ConsolePage("GET", "/console/calls", "call_pages:list_calls", "Background calls"),
    ConsolePage("GET", "/console/calls/{id}", "call_pages:show_call", "A call"),
    ConsolePage("POST", "/console/calls/{id}", "call_pages:cancel", "A call"),
    ConsolePage("GET", "/console/sessions", "session_pages:list_sessions", "Research sessions", nav="Research"),
    ConsolePage("GET", "/console/sessions/{id}", "session_pages:show_session", "A research session"),
    ConsolePage(
        "POST", "/console/sessions/{id}", "session_pages:download_session", "A research session", once_seconds=0
    ),
    ConsolePage("GET", "/console/audits", "audit_pages:show_audits", "Audits", nav="Audits"),
    ConsolePage("POST", "/console/audits", "audit_pages:start_audit", "Audits"),
    ConsolePage("GET", "/console/audits/{id}", "audit_pages:show_audit", "An audit"),
    ConsolePage("POST", "/console/audits/{id}", "audit_pages:cancel_audit", "An audit"),
    ConsolePage("POST", "/console/audits/{id}/report", "audit_pages:download_report", "An audit", once_seconds=0),
    ConsolePage("GET", "/console/crawls", "crawl_pages:show_crawls", "Crawls", nav="Crawls"),
    ConsolePage("POST", "/console/crawls", "crawl_pages:start_crawl", "Crawls"),
    ConsolePage("GET", "/console/crawls/{id}", "crawl_pages:show_crawl", "A crawl"),
    ConsolePage("POST", "/console/crawls/{id}", "crawl_pages:cancel_crawl", "A crawl"),
    ConsolePage("GET", "/console/crawls/{id}/pages/{place}", "crawl_pages:show_crawled_page", "A page of a crawl"),
    ConsolePage("GET", "/console/watches", "watches_page:show_watches", "Watches", nav="Watches"),
    ConsolePage("POST", "/console/watches", "watches_page:save_watch", "Watches"),
    ConsolePage("POST", "/console/watches/check", "watches_page:check_now", "What is new", once_seconds=30),
    ConsolePage("POST", "/console/watches/delete", "watches_page:delete_watch", "Watches"),
    ConsolePage("GET", "/console/memory", "memory_page:show_memory", "Memory", nav="Memory"),
    ConsolePage("POST", "/console/memory", "memory_page:save_memory", "Memory"),
    ConsolePage("POST", "/console/memory/forget", "memory_page:forget_memory", "Memory"),
    ConsolePage("POST", "/console/memory/export", "memory_page:export_memory", "Memory", once_seconds=0),
    ConsolePage("GET", "/console/workspaces", "workspace_page:list_workspaces", "Workspaces", nav="Workspaces"),
    ConsolePage("GET", "/console/workspaces/{name}", "workspace_page:show_workspace", "A workspace"),
    ConsolePage("POST", "/console/workspaces/{name}", "workspace_page:withdraw", "A workspace"),
    ConsolePage(
        "GET", "/console/operations", "operations_page:show_operations", "Operations", nav="Operations", scope=ADMIN
    ),
    ConsolePage(
        "GET",
        "/console/operations/providers",
        "provider_health_page:show_providers",
        "Providers and limits",
        scope=ADMIN,
    ),
    ConsolePage(
        "POST", "/console/operations/breaker", "provider_health_page:close_breaker", "Close a breaker", scope=ADMIN
    ),
    ConsolePage("GET", "/console/operations/work", "failed_work_page:show_failed_work", "Failed work", scope=ADMIN),
    ConsolePage("POST", "/console/operations/work", "failed_work_page:decide_on_work", "Failed work", scope=ADMIN),
    ConsolePage("GET", "/console/operations/errors", "operations_page:show_errors", "Recent errors", scope=ADMIN),
    ConsolePage("GET", "/console/operations/settings", "operations_page:show_settings", "Settings", scope=ADMIN),
    ConsolePage("GET", "/console/account", "account_page:show_account", "Account and keys", nav="Account"),
    ConsolePage("POST", "/console/account/keys", "account_page:create_key", "Account and keys"),
    ConsolePage("POST", "/console/account/keys/revoke", "account_page:revoke_key", "Account and keys"),
    ConsolePage("POST", "/console/account/grants/revoke", "account_page:revoke_grant", "Account and keys"),
    ConsolePage("GET", "/console/data", "own_data_page:show_data", "Your data", nav="Your data"),
    ConsolePage("GET", "/console/data/export", "own_data_page:show_export", "Export"),
    ConsolePage("POST", "/console/data/export", "own_data_page:send_export", "Export", once_seconds=0),
    ConsolePage("GET", "/console/data/erase", "own_data_page:ask_to_erase", "Erase your data"),
    ConsolePage("POST", "/console/data/erase", "own_data_page:erase", "Your data", once_seconds=0),
    ConsolePage("GET", "/console/activity", "own_data_page:show_activity", "Activity", nav="Activity"),
    ConsolePage("GET", "/docs", "reference_pages:list_operations", "Reference of the HTTP API", nav="Reference"),
    ConsolePage("GET", "/docs/operations/{id}", "reference_pages:show_operation", "Operation"),
    ConsolePage("GET", "/docs/connect", "connect_page:show_setups", "Connect a client", nav="Connect", is_public=True),
)
