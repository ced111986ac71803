"""The page on audits: planning one, and reading what it measured."""
