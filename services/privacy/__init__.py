"""What operators do about what is kept: have it erased, and seal it by another key."""
