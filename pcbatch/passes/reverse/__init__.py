"""Reverse mode: from a program to the program with its way back."""
