"""Matplotlib for commands: imported without what takes time, and without its remarks on folders."""

from __future__ import annotations

import sys
from types import ModuleType


def import_matplotlib() -> None:
    """Import matplotlib without its axes in three dimensions, which take time and which no command draws.

    It also logs warnings if there is no folder for its caches, as without a HOME. It works without them.
    """
    name = "mpl_toolkits.mplot3d"
    if name in sys.modules or "matplotlib.projections" in sys.modules:
        return
    import logging  # matplotlib does so as well

    def is_shown(record: logging.LogRecord) -> bool:
        return record.funcName != "_get_config_or_cache_dir"

    sys.modules[name] = ModuleType(name)
    vars(sys.modules[name])["Axes3D"] = None  # as if it were not installed
    logger = logging.getLogger("matplotlib")
    logger.addFilter(is_shown)
    try:
        import matplotlib.projections  # noqa: F401
    finally:
        del sys.modules[name]
        logger.removeFilter(is_shown)
