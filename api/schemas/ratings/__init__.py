"""Request models of ratings from widget visitors."""
