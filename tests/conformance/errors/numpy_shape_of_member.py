"""An array whose length would depend on the member."""

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    return np.zeros(n)


args = (np.array([2, 3]),)
