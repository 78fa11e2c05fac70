"""The table of pages of the console, from which its routes, its navigation and the tests of all pages are made.

A page is a row here, an asynchronous function `(PageVisit) -> Response` in a module beside this one, and a template.
"""

from typing import NamedTuple

HOME = "/console"
ASSETS = "/console/assets/"


class ConsolePage(NamedTuple):
    """One page, or one form that a page sends.

    `handler` is `module:function`, imported by the first request. `nav` is its name in the navigation, "" for a page
    that others lead to. `scope` is what a person must have; the user of a machine where nobody signs in has every one.
    A page that `is_public` is also for those who have not signed in.
    """

    method: str
    path: str
    handler: str
    title: str
    nav: str = ""
    scope: str = ""
    is_public: bool = False


PAGES = (ConsolePage("GET", HOME, "overview_page:show_overview", "Console", nav="Overview"),)
