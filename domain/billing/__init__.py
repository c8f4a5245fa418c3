"""Plans, quotas and credits."""
