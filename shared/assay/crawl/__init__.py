"""The crawl engine: jobs that read a site page by page, in time slices that any worker can continue."""
