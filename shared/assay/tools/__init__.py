"""The tools: the tool `web_search` is the function `web_search` in `web_search.py`."""
