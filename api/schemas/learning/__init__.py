"""Request and response models for the dashboard's correction and labelled example routes."""
