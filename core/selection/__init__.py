"""Candidates → hits, near-misses and counts: the pure, fast stage."""
