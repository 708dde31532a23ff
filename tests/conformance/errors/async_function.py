stage = "lower"


async def program(x):
    return x
