"""The models that tools, providers and entry points share: questions and results by subject."""
