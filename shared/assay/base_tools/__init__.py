"""Tools that other tools call too, which `assay.tools` publishes under their own names, and what tools share."""
