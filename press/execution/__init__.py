"""The notebooks of the book, executed: each once, for the pages and for the tests."""
