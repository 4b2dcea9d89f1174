"""`python -m quire`: the command line without its script."""

from quire.cli.start import main

main()
