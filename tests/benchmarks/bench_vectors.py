"""What a store's vectors cost: writing them, mapping them at the next start, and going on.

``python tests/benchmarks/bench_vectors.py [--records N]``. The vectors are made up. The peer is the
safetensors library on the same file: it checks no hash, but copies what it reads.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.embedding.vectors import SUFFIX, keep_vectors, stored_vectors, vectors_key
from core.io.sidecar import SidecarFolder
from tests.benchmarks.timing import Row, in_turn, print_table

DIMENSION = 384
ROUNDS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=117_659)
    count = parser.parse_args().records
    vectors = np.random.default_rng(0).standard_normal((count, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [str(row) for row in range(count)]
    key = vectors_key("ab" * 32, "made up", DIMENSION)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sidecars = SidecarFolder(folder / "k.json", folder / "cache")
        stored = folder / f"k.json{SUFFIX}"
        writing = in_turn(
            [
                (
                    lambda: keep_vectors(vectors, texts, key, sidecars),
                    lambda: save_file({"vectors": vectors}, folder / "peer"),
                )
            ]
            * ROUNDS
        )
        loading = in_turn(
            [(lambda: stored_vectors(key, sidecars), lambda: load_file(stored))] * ROUNDS
        )
    print_table(
        [
            Row(f"{what}, {count} × {DIMENSION}", ours, "safetensors", peer).cells()
            for what, (ours, peer) in (("hash, write, map", writing), ("load", loading))
        ],
        ("what", "ours ms", "peer", "peer ms", "ratio", "goal"),
    )


if __name__ == "__main__":
    main()
