"""Three models as practitioners write them, with simulated data, in float64.

Their random starts are far from the posterior: log densities are lower by thousands, and steep.
Each function gives a log density of one unconstrained position, and what a position looks like.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

Position = dict[str, tf.Tensor]
Stated = tuple[Callable[[Position], tf.Tensor], dict[str, tf.TensorSpec]]

RETURNS = 100
DAYS, STEPS_A_DAY, PEOPLE = 14, 4, 763
PERSONS, ITEMS = 100, 20


def _spec(*shape: int) -> tf.TensorSpec:
    return tf.TensorSpec(shape, tf.float64)


def stochastic_volatility() -> Stated:
    """Daily returns with heavy tails, whose volatility is a random walk (Hoffman and Gelman 2014).

    s_1 ~ Exponential(100),  log s_t ~ Normal(log s_{t-1}, w),  w ~ Exponential(50)
    y_t / s_t ~ StudentT(nu),  nu ~ Exponential(0.1)
    """
    random = np.random.RandomState(11)
    walk = np.log(0.01) + np.cumsum(0.15 * random.standard_normal(RETURNS))
    y = tf.constant(np.exp(walk) * random.standard_t(8, RETURNS))

    def log_density(position: Position) -> tf.Tensor:
        h, log_w, log_nu = position["h"], position["log_w"], position["log_nu"]
        nu = tf.exp(log_nu)
        steps = (h[1:] - h[:-1]) * tf.exp(-log_w)
        prior = -100.0 * tf.exp(h[0]) + h[0] - 50.0 * tf.exp(log_w) + log_w - 0.1 * nu + log_nu
        prior -= (RETURNS - 1) * log_w + 0.5 * tf.reduce_sum(steps**2)
        constant = tf.math.lgamma(0.5 * (nu + 1.0)) - tf.math.lgamma(0.5 * nu) - 0.5 * log_nu
        tails = tf.math.log1p(tf.square(y * tf.exp(-h)) / nu)
        return prior + RETURNS * constant - tf.reduce_sum(h + 0.5 * (nu + 1.0) * tails)

    return log_density, {"h": _spec(RETURNS), "log_w": _spec(), "log_nu": _spec()}


def epidemic() -> Stated:
    """An outbreak in a school, susceptible, infected and recovered, by Runge-Kutta steps.

    s' = -beta s i,  i' = beta s i - gamma i,  i(0) unknown
    counts of a day ~ NegativeBinomial(mean PEOPLE i, size 1 / k)
    beta ~ Normal(2, 1), gamma ~ Normal(0.4, 0.5), both positive,  i(0) ~ Beta(1, 100)
    k ~ Exponential(5)
    """
    random = np.random.RandomState(12)

    def infected(beta: float, gamma: float, first: float) -> np.ndarray:
        state, fine, path = np.array([1.0 - first, first]), 200, []
        for step in range(DAYS * fine):
            new = beta * state[0] * state[1]
            state = state + np.array([-new, new - gamma * state[1]]) / fine
            if (step + 1) % fine == 0:
                path.append(state[1])
        return np.array(path)

    mean = PEOPLE * infected(1.7, 0.5, 1.0 / PEOPLE)
    counts = tf.constant(random.poisson(mean * random.gamma(10.0, 0.1, DAYS)), tf.float64)

    def log_density(position: Position) -> tf.Tensor:
        log_rates, u, log_k = position["log_rates"], position["u"], position["log_k"]
        beta, gamma = tf.unstack(tf.exp(log_rates))
        first, size = tf.sigmoid(u), tf.exp(-log_k)

        def slope(state: tf.Tensor) -> tf.Tensor:
            new = beta * state[0] * state[1]
            return tf.stack([-new, new - gamma * state[1]])

        def step(state: tf.Tensor, _: tf.Tensor) -> tf.Tensor:
            h = 1.0 / STEPS_A_DAY
            k1 = slope(state)
            k2 = slope(state + 0.5 * h * k1)
            k3 = slope(state + 0.5 * h * k2)
            k4 = slope(state + h * k3)
            return state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

        start = tf.stack([1.0 - first, first])
        path = tf.scan(step, tf.range(DAYS * STEPS_A_DAY), initializer=start)
        mean = PEOPLE * path[STEPS_A_DAY - 1 :: STEPS_A_DAY, 1] + 1e-6
        prior = -0.5 * tf.square(beta - 2.0) - 2.0 * tf.square(gamma - 0.4)
        prior += tf.reduce_sum(log_rates) - 5.0 * tf.exp(log_k) + log_k
        # The density of i(0), and the Jacobian of u.
        prior += 100.0 * tf.math.log_sigmoid(-u) + tf.math.log_sigmoid(u)
        # By the beta function, as a difference of two log gammas is wrong for a large size.
        likelihood = -tfp.math.lbeta(counts + 1.0, size) - tf.math.log(counts + size)
        likelihood += counts * (tf.math.log(mean) - tf.math.log(size + mean))
        likelihood -= size * tf.math.log1p(mean / size)
        return prior + tf.reduce_sum(likelihood)

    return log_density, {"log_rates": _spec(2), "u": _spec(), "log_k": _spec()}


def item_response() -> Stated:
    """Right and wrong answers, with ability, difficulty and discrimination (2PL, hierarchical).

    right ~ Bernoulli(logistic(a_i (theta_p - b_i))),  theta ~ Normal(0, 1)
    b ~ Normal(m, s_b),  log a ~ Normal(0, s_a),  m ~ Cauchy(0, 5),  s_a, s_b ~ HalfCauchy(2)
    """
    random = np.random.RandomState(13)
    theta, b = random.standard_normal(PERSONS), 0.5 + random.standard_normal(ITEMS)
    a = np.exp(0.4 * random.standard_normal(ITEMS))
    chance = 1.0 / (1.0 + np.exp(-a * (theta[:, np.newaxis] - b)))
    sign = tf.constant(np.where(random.uniform(size=chance.shape) < chance, 1.0, -1.0))

    def log_density(position: Position) -> tf.Tensor:
        theta, b, log_a = position["theta"], position["b"], position["log_a"]
        m, log_s_a, log_s_b = position["m"], position["log_s_a"], position["log_s_b"]
        logit = tf.exp(log_a) * (theta[:, tf.newaxis] - b)
        likelihood = tf.reduce_sum(tf.math.log_sigmoid(sign * logit))
        scaled_b, scaled_a = (b - m) * tf.exp(-log_s_b), log_a * tf.exp(-log_s_a)
        prior = -0.5 * tf.reduce_sum(theta**2) - 0.5 * tf.reduce_sum(scaled_b**2 + scaled_a**2)
        prior -= ITEMS * (log_s_a + log_s_b) + tf.math.log1p(tf.square(m / 5.0))
        prior += log_s_a - tf.math.log1p(0.25 * tf.exp(2.0 * log_s_a))
        prior += log_s_b - tf.math.log1p(0.25 * tf.exp(2.0 * log_s_b))
        return likelihood + prior

    one = {name: _spec() for name in ("m", "log_s_a", "log_s_b")}
    return log_density, {"theta": _spec(PERSONS), "b": _spec(ITEMS), "log_a": _spec(ITEMS), **one}


MODELS: dict[str, Callable[[], Stated]] = {
    "stochastic volatility": stochastic_volatility,
    "epidemic": epidemic,
    "item response": item_response,
}
