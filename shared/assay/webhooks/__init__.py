"""Signed delivery of events to addresses that people choose (webhooks): stored first, retried, then parked."""
