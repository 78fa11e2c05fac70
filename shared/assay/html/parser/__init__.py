"""From HTML text to a tree of elements, as browsers build it."""
