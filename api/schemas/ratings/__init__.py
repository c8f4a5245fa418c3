"""Request models of ratings by visitors of the widget."""
