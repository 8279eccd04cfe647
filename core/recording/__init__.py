"""Turns that were recorded elsewhere: ``debug_info`` from a running game, opened as turns here.

Nothing is searched. Numbers are those of the file, and keys that we do not know are kept.
"""
