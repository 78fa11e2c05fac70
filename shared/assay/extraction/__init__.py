"""Facts out of pages: by a model or by what pages declare, each with the words of the page that bear it out."""
