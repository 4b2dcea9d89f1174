"""The manual: blocks of its pages, and the pages that are made from the sources."""
