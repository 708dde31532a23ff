import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class Account:
    balance: int

    def deposit(self, amount):
        if amount > 0:
            self.balance += amount


@pcbatch.autobatch
def program(x):
    first, second = Account(x), Account(2 * x)
    richer = first if x > 1 else second
    richer.deposit(10)
    return first.balance


args = (tf.constant([1, 2]),)
