"""The entry points: each turns its protocol into a call of `invoke`, and the reply into its protocol."""

import os

# Pydantic searches the metadata of all packages for plugins, which are not used here: saves 9 ms at start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  # a setting of pydantic
