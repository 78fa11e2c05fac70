"""monitor_query_check: what is new since the last check, each result once."""

from tests.support.watch_fixtures import ADA, NEW, OLD, OTTERS, environ, grant, serve_news  # noqa: F401


async def test_new_results_are_returned_once(ask, grant, serve_news):  # noqa: F811
    await grant()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS, ttlDays=7)).wire
    assert saved.items() >= {"status": "ok", "kind": "news", "seenCount": 1, "ttlDays": 7, "everyHours": 24}.items()
    assert (await ask("monitor_query_check", ADA, **OTTERS)).wire["newCount"] == 0
    serve_news(OLD, NEW)
    checked = (await ask("monitor_query_check", ADA, id=saved["id"])).wire
    assert (checked["newCount"], checked["newResults"][0]["title"]) == (1, NEW[1])
    assert checked["newResults"][0]["snippet"] == NEW[2]
    assert (await ask("monitor_query_check", ADA, **OTTERS)).wire["newCount"] == 0
