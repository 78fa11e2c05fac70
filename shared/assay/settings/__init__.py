"""Configuration. This package is the only reader of the environment."""

from assay.settings.settings import Settings as Settings
from assay.settings.variables import Requirements as Requirements
