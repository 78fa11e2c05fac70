"""What a page reads is bounded, however much is stored of its person and of everybody else."""

from infra.benchmarks.console_data import CountingTable, fill_failed_jobs, fill_memories, fill_watches
from tests.console.conftest import ADA, EVE
from tests.console.test_every_page import GETS, build_address

READING_ALL = {  # by what they are for
    "/console/data/erase": "says how much there is of everything",
    "/console/data/export": "reads whole kinds of what is stored until its part is full",
}
MOST_READS, MOST_ROWS = 130, 600  # 50 sessions, 50 jobs and 20 memories on a page, each with a row of its own


async def count_reads(browser, ada, table):
    """The reads and the rows of each page."""
    counts = {}
    for page in GETS:
        before = table.reads, table.rows
        response = await browser.open(build_address(page, ada))
        assert response.status_code == 200, response.text
        counts[page.path] = table.reads - before[0], table.rows - before[1]
    return counts


async def test_what_a_page_reads_does_not_grow_with_what_is_stored(server, ada, browse):
    server.table = table = CountingTable(server.table)
    browser = await browse()

    async def add_a_page_of_each():
        await fill_memories(table, ADA, 25)
        await fill_failed_jobs(table, ADA, 55)
        await fill_watches(table, ADA, 25)

    await add_a_page_of_each()
    some = await count_reads(browser, ada, table)
    await add_a_page_of_each()
    await fill_failed_jobs(table, EVE, 55)
    more = await count_reads(browser, ada, table)
    assert READING_ALL.keys() < more.keys()
    for path in more.keys() - READING_ALL.keys():
        reads, rows = more[path]
        assert reads <= some[path][0], path
        assert (reads <= MOST_READS, rows <= MOST_ROWS) == (True, True), path
