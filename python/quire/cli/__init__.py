"""The command `quire`. Each command has a module of its own."""
