"""Scripts that call old programs, rewritten to commands of Quire."""
