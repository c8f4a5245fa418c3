"""What people do with clients, their people, keys and settings."""
