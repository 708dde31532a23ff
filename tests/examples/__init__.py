"""The example programs do what they say, at small sizes."""
