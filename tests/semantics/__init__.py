"""What Python values and operators mean for one member."""
