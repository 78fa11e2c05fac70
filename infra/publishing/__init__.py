"""What directories and hosts need to install Assay: registry entry, bundle, plugin, links, container image."""
