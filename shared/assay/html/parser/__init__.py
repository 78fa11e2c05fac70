"""From HTML text to an lxml tree, with the repairs that libxml2 needs to match the HTML Standard."""
