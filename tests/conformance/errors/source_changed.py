import linecache

stage = "lower"

before = "def program(x):\n    return x + 1\n"
after = "# A comment.\ndef program(x):\n    return x + 1\n"
exec(compile(before, "<cell 1>", "exec"))
linecache.cache["<cell 1>"] = (len(after), None, after.splitlines(True), "<cell 1>")
