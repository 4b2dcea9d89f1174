"""How fast queries are: goals in comparison with a scan, and with other libraries."""
