"""A double of `bridgestan.StanModel`, over models in NumPy.

It has the methods of BridgeStan's Python client that `nuts.from_stan` calls, with their signatures,
shapes and errors, so that the tests need neither a C++ compiler nor BridgeStan's sources. Each
model stands here twice: as a Stan program, and as functions of an unconstrained position.
`test_from_stan.py` compares the two where BridgeStan can compile.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray


class StanDouble:
    """What `nuts.from_stan` takes for a `bridgestan.StanModel`.

    Args:
      dim: the number of unconstrained parameters.
      names: of the numbers of the parameters, of the transformed parameters, and of the generated
        quantities.
      evaluate: takes a position, returns its log density and gradient; raises a RuntimeError where
        Stan rejects it.
      constrain: takes a position and a random generator, returns the numbers of all three blocks.
      info: what `model_info` returns.
    """

    def __init__(
        self,
        dim: int,
        names: tuple[list[str], list[str], list[str]],
        evaluate: Callable[[Array], tuple[float, Array]],
        constrain: Callable[[Array, np.random.Generator | None], tuple[Any, Any, Any]],
        info: str = "Stan C++ Defines:\n\tSTAN_THREADS=true\n",
    ):
        self._dim, self._names, self._info = dim, names, info
        self._evaluate, self._constrain = evaluate, constrain

    def model_info(self) -> str:
        return self._info

    def param_unc_num(self) -> int:
        return self._dim

    def param_num(self, *, include_tp: bool = False, include_gq: bool = False) -> int:
        return len(self.param_names(include_tp=include_tp, include_gq=include_gq))

    def param_names(self, *, include_tp: bool = False, include_gq: bool = False) -> list[str]:
        parameters, transformed, generated = self._names
        return parameters + transformed * include_tp + generated * include_gq

    def log_density_gradient(
        self,
        theta_unc: Array,
        *,
        propto: bool = True,
        jacobian: bool = True,
        out: Array | None = None,
    ) -> tuple[float, Array]:
        assert theta_unc.shape == (self._dim,) and theta_unc.dtype == np.float64
        assert theta_unc.flags.c_contiguous and propto and jacobian
        value, gradient = self._evaluate(theta_unc)
        out = np.zeros(self._dim) if out is None else out
        out[:] = gradient
        return value, out

    def param_constrain(
        self,
        theta_unc: Array,
        *,
        include_tp: bool = False,
        include_gq: bool = False,
        out: Array | None = None,
        rng: np.random.Generator | None = None,
    ) -> Array:
        if include_gq and rng is None:
            raise ValueError("Error: must specify rng when including generated quantities")
        assert out is not None and out.flags.c_contiguous
        blocks = self._constrain(theta_unc, rng)
        kept = (True, include_tp, include_gq)
        out[:] = np.concatenate([np.ravel(x) for x, keep in zip(blocks, kept, strict=True) if keep])
        return out

    def new_rng(self, seed: int) -> np.random.Generator:
        assert 0 <= seed < 2**32
        return np.random.default_rng(seed)


@dataclasses.dataclass(frozen=True)
class Known:
    """A model whose posterior means are known.

    Attributes:
      program: in Stan.
      data: what it takes.
      double: the same in NumPy.
      means: of its variables, by name.
    """

    program: str
    data: Mapping[str, Any]
    double: StanDouble
    means: Mapping[str, Any]


def rate() -> Known:
    """Counts with a Gamma(2, 1) prior of their rate: the posterior is a Gamma distribution."""
    counts = np.array([3, 5, 2, 4])
    shape, inverse_scale = 2.0 + counts.sum(), 1.0 + len(counts)

    def evaluate(u: Array) -> tuple[float, Array]:
        rate = np.exp(u[0])
        return shape * u[0] - inverse_scale * rate, np.array([shape - inverse_scale * rate])

    def constrain(u: Array, rng: np.random.Generator | None) -> tuple[Any, Any, Any]:
        rate = np.exp(u[0])
        return rate, u[0], rng.poisson(rate) if rng is not None else ()

    program = """
data { int N; array[N] int<lower=0> y; }
parameters { real<lower=0> rate; }
transformed parameters { real log_rate = log(rate); }
model { rate ~ gamma(2, 1); y ~ poisson(rate); }
generated quantities { int again = poisson_rng(rate); }
"""
    mean = shape / inverse_scale
    double = StanDouble(1, (["rate"], ["log_rate"], ["again"]), evaluate, constrain)
    return Known(program, {"N": 4, "y": counts.tolist()}, double, {"rate": mean, "again": mean})


def share() -> Known:
    """Counts of three kinds, with a uniform prior of their shares: a Dirichlet distribution.

    Stan breaks a stick: a share is a Beta distributed part of what is left.
    """
    counts = np.array([3, 7, 10])
    alpha = 1.0 + counts
    rest = alpha[::-1].cumsum()[::-1]
    offset = np.log([2.0, 1.0])

    def parts(u: Array) -> Array:
        return 1 / (1 + np.exp(-(u - offset)))

    def evaluate(u: Array) -> tuple[float, Array]:
        z = parts(u)
        value = alpha[:2] @ np.log(z) + rest[1:] @ np.log1p(-z)
        return value, alpha[:2] * (1 - z) - rest[1:] * z

    def constrain(u: Array, rng: np.random.Generator | None) -> tuple[Any, Any, Any]:
        z = parts(u)
        return np.array([z[0], (1 - z[0]) * z[1], (1 - z[0]) * (1 - z[1])]), (), ()

    program = """
data { array[3] int<lower=0> y; }
parameters { simplex[3] share; }
model { y ~ multinomial(share); }
"""
    names: Any = (["share.1", "share.2", "share.3"], [], [])
    double = StanDouble(2, names, evaluate, constrain)
    return Known(program, {"y": counts.tolist()}, double, {"share": alpha / alpha.sum()})


def slopes() -> Known:
    """A linear regression on two columns with known noise: a normal distribution.

    `powers[i, j]` is `slope[i] ** (j + 1)`: it shows in which order Stan has a matrix.
    """
    generator = np.random.default_rng(1)
    x = generator.normal(size=(20, 2))
    y = x @ [1.0, -2.0] + generator.normal(size=20)
    precision = x.T @ x + np.eye(2)
    mean = np.linalg.solve(precision, x.T @ y)

    def evaluate(u: Array) -> tuple[float, Array]:
        residual = y - x @ u
        return -0.5 * (residual @ residual + u @ u), x.T @ residual - u

    def constrain(u: Array, rng: np.random.Generator | None) -> tuple[Any, Any, Any]:
        columns = np.stack([u, u**2, u**3])  # of the matrix [i, j] = slope[i] ** (j + 1)
        return u, columns, u[0] + rng.normal() if rng is not None else ()

    program = """
data { int N; matrix[N, 2] x; vector[N] y; }
parameters { vector[2] slope; }
transformed parameters {
  matrix[2, 3] powers;
  for (j in 1:3) powers[:, j] = slope .^ j;
}
model { slope ~ std_normal(); y ~ normal(x * slope, 1); }
generated quantities { real first = normal_rng(slope[1], 1); }
"""
    names = (
        ["slope.1", "slope.2"],
        [f"powers.{i}.{j}" for j in (1, 2, 3) for i in (1, 2)],
        ["first"],
    )
    variance = np.diag(np.linalg.inv(precision))
    means = {
        "slope": mean,
        "powers": np.stack([mean, mean**2 + variance, mean**3 + 3 * mean * variance], -1),
        "first": mean[0],
    }
    data = {"N": 20, "x": x.tolist(), "y": y.tolist()}
    return Known(program, data, StanDouble(2, names, evaluate, constrain), means)


def rejecting() -> Known:
    """A standard normal distribution above -0.5: Stan rejects what is below."""

    def evaluate(u: Array) -> tuple[float, Array]:
        if u[0] < -0.5:
            raise RuntimeError(f"log_density_gradient() failed with exception: x is {u[0]}\n")
        return -0.5 * u[0] ** 2, -u

    program = """
parameters { real x; }
model { if (x < -0.5) reject("x is ", x); x ~ std_normal(); }
"""
    double = StanDouble(1, (["x"], [], []), evaluate, lambda u, rng: (u, (), ()))
    above = 0.6914624612740131  # the probability of x > -0.5
    mean = np.exp(-0.125) / np.sqrt(2 * np.pi) / above
    return Known(program, {}, double, {"x": mean})


KNOWN = {make.__name__: make for make in (slopes, rate, rejecting, share)}
"""What makes the models, by name."""
