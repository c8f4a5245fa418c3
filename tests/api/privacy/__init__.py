"""Tests for the data pages."""
