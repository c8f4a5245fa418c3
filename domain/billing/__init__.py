"""Plans, quota and credits."""
