"""Files → typed knowledge."""
