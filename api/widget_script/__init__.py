"""The chat widget's script: its source parts, and the bundle that browsers load."""
