"""Request models for ratings from widget visitors."""
