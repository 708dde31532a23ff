import tensorflow as tf

import pcbatch


def withdraw(account, amount):
    account["balance"] -= amount
    if account["balance"] < 0:
        raise ValueError("not enough")


@pcbatch.autobatch
def program(x):
    account = {**{"limit": 5}, "balance": x}
    try:
        withdraw(account, 2)
    except ValueError:
        return account["balance"] - 100
    return account["balance"]


args = (tf.constant([1, 2]),)
