"""SQL for corrections, labelled examples, classifier heads and shadow drafts."""
