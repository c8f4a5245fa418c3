"""The chat widget's script: its parts, and the one file that browsers get."""
