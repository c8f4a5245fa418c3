"""Rows for the tables of cases, replays, corrections and ratings."""
