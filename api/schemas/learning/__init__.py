"""Request and response models of the dashboard routes for corrections and labelled examples."""
