"""Program to program."""
