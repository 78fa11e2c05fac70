"""How often each person calls which tool, counted with their consent only."""
