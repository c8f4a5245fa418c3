"""SQL of corrections, labelled examples and shadow drafts."""
