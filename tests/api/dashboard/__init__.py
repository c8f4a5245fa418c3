"""Tests for the pages."""
