"""The window and the command line of the Retrieve turn inspector."""
