"""Sites read through their own interfaces: one module a site, each with `matches(url)` and `read(url, means)`."""
