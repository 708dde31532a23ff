stage = "lower"

exec("def program(x): return x + 1")
