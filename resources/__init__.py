"""Data files that ship with the program."""
