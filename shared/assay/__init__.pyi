from assay import sync as sync
from assay.api.client import Client as Client
from assay.api.local import Assay as Assay
from assay.errors import ToolError as ToolError

__version__: str
