"""Tests for the use cases for replays."""
