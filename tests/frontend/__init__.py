"""From Python source to source call form."""
