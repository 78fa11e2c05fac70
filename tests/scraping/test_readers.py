"""Who reads pages: in this process, in a thread, or in processes that may die without harm."""

import asyncio
import os
import threading

import pytest

from assay.errors import UpstreamFailed
from assay.scraping.readers import HERE, IN_PLACE, InProcesses


async def test_a_small_page_is_read_on_the_loop_and_a_large_one_beside_it():
    assert await HERE(threading.get_ident, size=10) == threading.get_ident()
    assert await HERE(threading.get_ident, size=IN_PLACE + 1) != threading.get_ident()


async def test_processes_read_while_the_loop_goes_on():
    readers = InProcesses(2)
    try:
        pids = await asyncio.gather(*(readers(os.getpid, size=1) for _ in range(8)))
        assert os.getpid() not in pids
    finally:
        readers.close()


async def test_a_page_that_kills_its_reader_is_one_error_and_the_next_is_read():
    readers = InProcesses(1)
    try:
        deadly, innocent = await asyncio.gather(
            readers(os._exit, 1, size=1), readers(len, "four", size=1), return_exceptions=True
        )
        assert isinstance(deadly, UpstreamFailed)
        assert innocent == 4
        assert await readers(len, "still", size=1) == 5
    finally:
        readers.close()


async def test_an_error_comes_back_as_it_was_raised():
    readers = InProcesses(1)
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            await readers(int, "x", size=1)
    finally:
        readers.close()
