"""Language models: the client, what their answers cost, and how their replies are read and checked."""
