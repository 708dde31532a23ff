"""A method gives an object on the heap an attribute that `__init__` does not."""

import numpy as np

import pcbatch


class Stock:
    def __init__(self, quantity):
        self.quantity = quantity

    def sell(self, number):
        self.quantity -= number
        self.last = number
        return self


@pcbatch.autobatch
def program(n):
    stocks = [Stock(n + k) for k in range(n)]
    for stock in stocks:
        stock.sell(1)
    return sum(stock.quantity for stock in stocks)


args = (np.array([1, 2, 5]),)
