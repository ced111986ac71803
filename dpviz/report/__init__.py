"""What leaves the house: the report, programs, and the command line."""
