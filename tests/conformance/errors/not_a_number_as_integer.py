import numpy as np

import pcbatch


@pcbatch.autobatch
def program(x):
    return int(x) + 1


args = (np.array([1.5, np.nan, 2.0]),)
