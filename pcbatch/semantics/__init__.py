"""What Python values, operators and builtins mean for one member."""
