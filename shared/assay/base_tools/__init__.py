"""Tools that other tools call too. `assay.tools` publishes each under its own name."""
