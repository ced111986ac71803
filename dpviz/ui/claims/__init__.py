"""The page on claims: whether releases cost what somebody says."""
