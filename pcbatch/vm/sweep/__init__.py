"""The sweep: a turn runs each block once for the members that stand at it, in a planned order."""
