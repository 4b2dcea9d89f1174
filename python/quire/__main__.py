"""`python -m quire`: the command line without its script."""

from quire.cli.main import main

main()
