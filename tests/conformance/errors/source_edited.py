import linecache

stage = "lower"

before = "def program(x):\n    return x + 1\n"
after = "def program(x):\n    return x + 2\n"
exec(compile(before, "<cell 2>", "exec"))
linecache.cache["<cell 2>"] = (len(after), None, after.splitlines(True), "<cell 2>")
