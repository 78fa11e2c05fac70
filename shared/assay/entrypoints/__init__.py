"""The entry points: each turns its protocol into a call of `invoke`, and the reply into its protocol."""

import os

# Pydantic searches the metadata of all installed packages for plugins, of which we have none: 9 ms of a start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  # it is pydantic's setting, not ours
