"""Forward mode: a program that computes its values and, beside them, their tangents."""
