"""Set the engines that write one format side by side, and raw writes of the same bytes, in one process group.

    bench/engines.py                      256 MB a run, 1, 2 and 4 ranks, on disk and in memory
    bench/engines.py --size 500 --passes 9 --ranks 2

The shapes and methods stand in targets.toml. Places and `results-engines.json` are those of bench/run.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import side_by_side

if __name__ == "__main__":
    sys.exit(side_by_side.main("engines", sys.argv[1:], ranks=[1, 2, 4], title=__doc__ or ""))
