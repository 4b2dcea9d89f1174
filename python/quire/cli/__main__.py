"""python -m quire.cli: the command line without its script."""

from quire.cli.main import main

main()
