"""Server-rendered pages of the dashboard, at paths below `/app`."""
