"""The command `quire`: one file a command."""
