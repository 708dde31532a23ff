"""The bundled models in Stan, in the same unconstrained coordinates where a comment says so."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nuts.models import (
    analytic,
    breast_cancer,
    brownian_motion,
    diabetes,
    eight_schools,
    lotka_volterra,
    stochastic_volatility,
)

# Same coordinates: the weights.
BREAST_CANCER = """
data { int n; int d; matrix[n, d] x; array[n] int y; }
parameters { vector[d] w; }
model { w ~ std_normal(); y ~ bernoulli_logit(x * w); }
"""

# Same coordinates: b and log s.
DIABETES = """
data { int n; int d; matrix[n, d] x; vector[n] y; }
parameters { vector[d] b; real<lower=0> s; }
model { target += -log(s); y ~ normal(x * b, s); }
"""

# Same coordinates: mu, log tau, z.
EIGHT_SCHOOLS = """
data { array[8] real y; array[8] real error; }
parameters { real mu; real<lower=0> tau; vector[8] z; }
transformed parameters { vector[8] theta = mu + tau * z; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); z ~ std_normal(); y ~ normal(theta, error); }
"""

# Same coordinates: x.
ILL_CONDITIONED_NORMAL = """
data { int d; matrix[d, d] whiten; }
parameters { vector[d] x; }
model { target += -0.5 * dot_self(whiten * x); }
"""

# Same coordinates: log q, log r, x.
BROWNIAN_MOTION = """
data { int t; int n; array[n] int seen; vector[n] y; }
parameters { real<lower=0> q; real<lower=0> r; vector[t] x; }
model {
  q ~ lognormal(0, 2);
  r ~ lognormal(0, 2);
  x[1] ~ normal(0, q);
  x[2:t] ~ normal(x[1:(t - 1)], q);
  y ~ normal(x[seen], r);
}
"""

# Other coordinates than the bundled model: innovations instead of log volatilities.
STOCHASTIC_VOLATILITY = """
data { int T; vector[T] y; }
parameters { real mu; real<lower=-1, upper=1> phi; real<lower=0> sigma; vector[T] z; }
transformed parameters {
  vector[T] h = sigma * z;
  h[1] /= sqrt(1 - phi^2);
  h += mu;
  for (t in 2:T) h[t] += phi * (h[t - 1] - mu);
}
model {
  mu ~ normal(0, 2);
  (phi + 1) / 2 ~ beta(20, 1.5);
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
"""

# Same coordinates: the logarithms.
LOTKA_VOLTERRA = """
functions {
  vector slope(vector s, vector r) {
    return [r[1] - r[2] * exp(s[2]), r[4] * exp(s[1]) - r[3]]';
  }
}
data { int years; int steps; array[years + 1] vector[2] y; }
parameters { vector<lower=0>[4] rates; vector<lower=0>[2] start; vector<lower=0>[2] noise; }
model {
  vector[2] s = log(start);
  real e = 1.0 / steps;
  rates[{1, 3}] ~ normal(1, 0.5);
  rates[{2, 4}] ~ normal(0.05, 0.05);
  start ~ lognormal(log(10), 1);
  noise ~ lognormal(-1, 1);
  y[1] ~ lognormal(s, noise);
  for (year in 1:years) {
    for (i in 1:steps) {
      vector[2] a = slope(s, rates);
      vector[2] b = slope(s + 0.5 * e * a, rates);
      vector[2] c = slope(s + 0.5 * e * b, rates);
      vector[2] d = slope(s + e * c, rates);
      s += e / 6 * (a + 2 * b + 2 * c + d);
    }
    y[year + 1] ~ lognormal(s, noise);
  }
}
"""


class StanModel(NamedTuple):
    """A model in Stan.

    Attributes:
      source: the program.
      data: what the source declares as data.
      names: the parameters that the bundled model reports, in that order.
      init: where every chain starts; None for Stan's own random starts.
    """

    source: str
    data: dict[str, Any]
    names: tuple[str, ...]
    init: dict[str, Any] | None = None


def stan_model(name: str) -> StanModel:
    """The bundled model of that name in Stan."""
    return _MAKERS[name]()


def draws_by_name(fit: Any, model: StanModel, num_chains: int) -> dict[str, np.ndarray]:
    """A pystan fit's draws of the reported parameters, float64[chains, draws] by scalar name."""
    found = {}
    for name in model.names:
        # pystan gives [..., draws of all chains, interleaved].
        values = np.asarray(fit[name])
        rows = values.reshape(-1, values.shape[-1])
        for i, row in enumerate(rows):
            found[name if len(rows) == 1 else f"{name}[{i}]"] = row.reshape(-1, num_chains).T
    return found


def _breast_cancer() -> StanModel:
    x, y = breast_cancer.load_data()
    data = {"n": len(y), "d": x.shape[1], "x": x.tolist(), "y": y.astype(int).tolist()}
    return StanModel(BREAST_CANCER, data, ("w",))


def _diabetes() -> StanModel:
    x, y = diabetes.load_data()
    data = {"n": len(y), "d": x.shape[1], "x": x.tolist(), "y": y.tolist()}
    return StanModel(DIABETES, data, ("b", "s"))


def _eight_schools() -> StanModel:
    data = {"y": eight_schools.EFFECT.tolist(), "error": eight_schools.ERROR.tolist()}
    return StanModel(EIGHT_SCHOOLS, data, ("mu", "tau", "theta"))


def _normal() -> StanModel:
    data = {"d": analytic.NORMAL_DIM, "whiten": np.linalg.inv(analytic.normal_factor()).tolist()}
    return StanModel(ILL_CONDITIONED_NORMAL, data, ("x",))


def _brownian_motion() -> StanModel:
    y = brownian_motion.load_data()
    data = {
        "t": brownian_motion.LENGTH,
        "n": len(y),
        "seen": (brownian_motion.SEEN + 1).tolist(),
        "y": y.tolist(),
    }
    return StanModel(BROWNIAN_MOTION, data, ("q", "r", "x"))


def _stochastic_volatility() -> StanModel:
    y = stochastic_volatility.load_data()
    start = {"phi": 0.9, "sigma": 0.3}
    names = ("mu", "phi", "sigma", "h")
    return StanModel(STOCHASTIC_VOLATILITY, {"T": len(y), "y": y.tolist()}, names, start)


def _lotka_volterra() -> StanModel:
    y = lotka_volterra.load_data()
    data = {"years": len(y) - 1, "steps": lotka_volterra.STEPS_A_YEAR, "y": y.tolist()}
    start = {"rates": [1.0, 0.05, 1.0, 0.05], "start": [10.0, 10.0], "noise": [0.4, 0.4]}
    return StanModel(LOTKA_VOLTERRA, data, ("rates", "start", "noise"), start)


_MAKERS = {
    "breast_cancer": _breast_cancer,
    "diabetes": _diabetes,
    "eight_schools": _eight_schools,
    "ill_conditioned_normal": _normal,
    "brownian_motion": _brownian_motion,
    "stochastic_volatility": _stochastic_volatility,
    "lotka_volterra": _lotka_volterra,
}
