"""What a tool is made of: its declaration, the base models of arguments and answers, and their JSON schemas."""
