"""monitor_delete: a watch goes with everything that belongs to it."""

from tests.support.watch_fixtures import ADA, OLD, OTTERS, environ, grant, list_rows, serve_news  # noqa: F401


async def test_a_deleted_watch_leaves_no_row(ask, grant, serve_news, list_rows):  # noqa: F811
    await grant()
    before = list_rows()
    serve_news(OLD)
    saved = (await ask("monitor_query_save", ADA, **OTTERS, feed="new")).wire
    assert {row[0].partition("/")[0] for row in list_rows() - before} >= {"watches", "watch-feed", "errands", "due"}
    assert (await ask("monitor_delete", ADA, ids=[saved["id"]])).wire["deletedCount"] == 1
    left = {row[0].partition("/")[0] for row in list_rows() - before}
    assert not left & {"watches", "watch-feed", "errands", "due"}
