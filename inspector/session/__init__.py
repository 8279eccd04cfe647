"""What is open, edited, asked and worked on; what persists."""
