"""Consents to the storage of personal data, by person and purpose."""
