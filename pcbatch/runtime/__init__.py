"""The host's side of a call: options, arguments, specializations, shards, and results."""
