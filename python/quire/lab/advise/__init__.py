"""Recommend transports, files, stripes and hints for what is to be written where, each with its reason."""

from quire.lab.advise.advice import Advice, Commands, advise, commands_of
from quire.lab.advise.situation import Load, Situation, situation_of

__all__ = ["Advice", "Commands", "Load", "Situation", "advise", "commands_of", "situation_of"]
