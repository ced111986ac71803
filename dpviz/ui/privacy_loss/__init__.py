"""The page “Privacy loss”: of one release and of many, its profile and its laws."""
