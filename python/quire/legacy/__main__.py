"""An old program by its name: `python -m quire.legacy NAME ARGUMENTS`."""

import sys

from quire.legacy.running import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
