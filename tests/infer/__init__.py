"""From source call form to typed call form."""
