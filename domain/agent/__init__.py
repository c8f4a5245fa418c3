"""The agent's judgement: what a brain is asked, what the policy allows, what answers may state."""
