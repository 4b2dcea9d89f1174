"""Plans of accesses to storage, and estimates of their time, without writing."""
