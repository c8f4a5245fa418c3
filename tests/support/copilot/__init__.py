"""Questions to the copilot, and customers' attacks against it."""
