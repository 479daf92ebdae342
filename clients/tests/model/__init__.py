"""A second implementation of the rules, in plain Python, to compare the program with: docs/testing.md."""
