import tensorflow as tf

import pcbatch


def deposit(account, amount):
    if amount > 0:
        account["balance"] += amount


@pcbatch.autobatch
def program(x):
    base = {"limit": 5}
    first, second = {**base, "balance": x}, {**base, "balance": 2 * x}
    richer = first if x > 1 else second
    deposit(richer, 10)
    return first["balance"]


args = (tf.constant([1, 2]),)
