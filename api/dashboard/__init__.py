"""Server-rendered dashboard pages below `/app`."""
