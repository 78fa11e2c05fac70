"""A Chromium of our own: started, contained, watched, and asked to render pages."""
