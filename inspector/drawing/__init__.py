"""Layouts and scales of drawings: geometry that knows no widget."""
