"""Tests for the rules of learning from corrections."""
