"""Websites from which knowledge is imported: requests, robots.txt, sitemaps and page texts."""
