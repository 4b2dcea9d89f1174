"""An old program by its name: `python -m quire.legacy NAME ARGUMENTS`."""

import sys

from quire.cli.start import end_quietly

if __name__ == "__main__":
    end_quietly()
    from quire.legacy.running import main

    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
