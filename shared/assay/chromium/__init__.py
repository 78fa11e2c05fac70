"""Headless Chromium: starting, isolating and supervising the browser, and rendering pages with it."""
