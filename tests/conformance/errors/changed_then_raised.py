import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class Account:
    balance: int

    def withdraw(self, amount):
        self.balance -= amount
        if self.balance < 0:
            raise ValueError("not enough")


@pcbatch.autobatch
def program(x):
    account = Account(x)
    try:
        account.withdraw(2)
    except ValueError:
        return account.balance - 100
    return account.balance


args = (tf.constant([1, 2]),)
