"""Use cases of insight: what a client's figures and open questions say."""
