"""References in the citation styles of the CSL repository."""
