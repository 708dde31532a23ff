"""Numbers of a member: widths, promotion, comparison, division, digits, and what overflows."""
