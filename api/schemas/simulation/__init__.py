"""Requests and responses of simulations and replays."""
