"""Signal handlers for asyncio, also on Windows, where event loops do not support them."""

import asyncio
import signal
from collections.abc import Callable


def on_signal(stop: Callable[[], object], *signals: signal.Signals) -> None:
    """Call `stop` on the running event loop when one of the signals arrives."""
    loop = asyncio.get_running_loop()
    for each in signals:
        try:
            loop.add_signal_handler(each, stop)
        except NotImplementedError:  # Windows
            signal.signal(each, lambda *_: loop.call_soon_threadsafe(stop))
