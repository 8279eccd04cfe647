"""Retrieve: search of a knowledge file or a memory store → selection → why not → listing."""
