"""From HTML text to an lxml tree, as browsers build it."""
