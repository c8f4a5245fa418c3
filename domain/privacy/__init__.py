"""Erasure and retention of data."""
