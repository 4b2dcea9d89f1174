"""Reading and writing: the implementation of `import quire`, by subject."""
