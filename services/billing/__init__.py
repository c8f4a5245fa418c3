"""What operators do with plans and credits."""
