"""What views draw, as plain values that know no widget: geometry, scales, texts."""
