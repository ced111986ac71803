"""The page “What attackers see”: what an attacker sees, and how often they are right."""
