"""Server-rendered dashboard pages, at paths below `/app`."""
