"""monitor_list: the caller's watches, in pages."""

from tests.support.watch_fixtures import ADA, OLD, environ, grant, serve_news  # noqa: F401


async def test_a_list_has_pages(ask, grant, serve_news, clock):  # noqa: F811
    await grant()
    serve_news(OLD)
    for n in range(5):
        await ask("monitor_query_save", ADA, query=f"otters {n}", kind="news")
        clock.forward(1)
    first = (await ask("monitor_list", ADA, limit=3)).wire
    rest = (await ask("monitor_list", ADA, limit=3, offset=first["nextOffset"])).wire
    assert [watch["query"] for watch in first["watches"] + rest["watches"]] == [f"otters {n}" for n in range(5)]
    assert "nextOffset" not in rest
