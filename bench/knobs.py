"""Measure what each knob does to the speed: its values side by side in one process group.

    bench/knobs.py                        64 MB a run, 2 ranks, on disk and in memory
    bench/knobs.py --only chunk --size 256

The knobs and their values stand in targets.toml; the first value of each is the preset. docs/knobs.md says
what they mean. Places and `results-knobs.json` are those of bench/run.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import side_by_side

if __name__ == "__main__":
    sys.exit(side_by_side.main("knobs", sys.argv[1:], ranks=[2], title=__doc__ or "", size=64))
