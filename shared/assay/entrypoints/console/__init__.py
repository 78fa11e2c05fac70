"""The console: pages for people at a browser, filled in on the server, that read without a script.

`page_table` lists the pages. Everything else here is imported by the first request for a page, so that cold starts of
other routes do not pay for it.
"""
