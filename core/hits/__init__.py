"""What every kind of retrieval hands to views: hits, reasons, listings, stages, comparisons."""
