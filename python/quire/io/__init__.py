"""Reading and writing: what `import quire` offers, by subject."""
