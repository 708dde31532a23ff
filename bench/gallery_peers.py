"""What a person would use for a program of the gallery: NumPy, SciPy, Numba or NumPyro.

A peer does the work of the whole batch. `run` gives what the batch's first result is compared with;
where both draw random numbers, the medians are compared.
"""

from __future__ import annotations

import heapq
import math
import types
import unittest.mock
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pcbatch
from tests.examples.loading import load

Batch = tuple[Any, ...]


class Peer(NamedTuple):
    """Another way.

    Attributes:
      name: of the library and what of it is used.
      prepare: gives, for a batch, a function that does the work.
      tolerance: of its result, to the larger of the value and 1; None compares the medians of
        both, which are of random numbers.
      result: which of the program's results it gives.
    """

    name: str
    prepare: Callable[[Batch], Callable[[], Any]]
    tolerance: float | None = 0.0
    result: int = 0

    def check(self, found: Any, result: Any) -> None:
        """Compare what the peer gives with the program's result.

        Raises:
          AssertionError: they differ.
        """
        ours = result[self.result] if isinstance(result, tuple | list) else result
        ours = np.stack(ours, -1) if isinstance(ours, list) else np.asarray(ours)
        if self.tolerance is None:
            found, ours, tolerance = np.median(found), np.median(ours), 0.1
        else:
            tolerance = self.tolerance
        np.testing.assert_allclose(found, ours, rtol=tolerance, atol=tolerance)


def compiled(name: str) -> types.ModuleType:
    """An example whose functions Numba compiles, in place of pcbatch."""
    import numba

    def undecorated(function: Any = None, **options: Any) -> Any:
        return (lambda function: function) if function is None else function

    with unittest.mock.patch.object(pcbatch, "autobatch", undecorated):
        example = load(name)
    for key, value in list(vars(example).items()):
        if isinstance(value, types.FunctionType) and key not in ("inputs", "draw"):
            setattr(example, key, numba.njit(value))
    return example


def quicksort(batch: Batch) -> Callable[[], Any]:
    return lambda: np.sort(batch[0], axis=1)


def kd_tree(batch: Batch) -> Callable[[], Any]:
    from scipy.spatial import KDTree

    tree = KDTree(batch[1])
    return lambda: tree.query(batch[0])[1]


def sudoku(batch: Batch) -> Callable[[], Any]:
    import numba

    solve = compiled("sudoku").solve

    @numba.njit
    def all_members(puzzles):
        found = np.empty_like(puzzles)
        for k in range(len(puzzles)):
            found[k] = np.array(solve(puzzles[k])[0])
        return found

    return lambda: all_members(batch[0])


def quadrature(batch: Batch) -> Callable[[], Any]:
    from scipy.integrate import quad

    height = load("quadrature").height
    options = {"epsabs": 1e-8, "limit": 200, "points": [0.3]}
    return lambda: [quad(height, 0.0, 1.0, (s,), **options)[0] for s in batch[0]]


def newton_fractal(batch: Batch) -> Callable[[], Any]:
    roots = np.array([complex(u, v) for u, v in load("newton_fractal").ROOTS])

    def run():
        z = batch[0] + 1j * batch[1]
        found, open_ones = np.full(len(z), -1), np.arange(len(z))
        for _ in range(60):
            near = np.abs(z[open_ones, None] - roots) ** 2 < 1e-6
            done = near.any(1)
            found[open_ones[done]] = near[done].argmax(1)
            open_ones = open_ones[~done & (z[open_ones] != 0.0)]
            z[open_ones] = (2.0 * z[open_ones] + z[open_ones] ** -2.0) / 3.0
        return found

    return run


def decision_forest(batch: Batch) -> Callable[[], Any]:
    import numba

    @numba.njit
    def all_members(flowers, roots, left, right, feature, threshold, label):
        found = np.empty(len(flowers), np.int64)
        for k in range(len(flowers)):
            votes = np.zeros(3)
            for root in roots:
                node = root
                while left[node] >= 0:
                    low = flowers[k, feature[node]] <= threshold[node]
                    node = left[node] if low else right[node]
                votes[label[node]] += 1
            found[k] = votes.argmax()
        return found

    return lambda: all_members(batch[0], *batch[1])


def alpha_beta(batch: Batch) -> Callable[[], Any]:
    import numba

    best = compiled("alpha_beta").best

    @numba.njit
    def all_members(mine, yours):
        return np.array([best(mine[k], yours[k])[0] for k in range(len(mine))])

    return lambda: all_members(*(part.astype(np.int64) for part in batch))


def ray_tracing(batch: Batch) -> Callable[[], Any]:
    import numba

    light = compiled("ray_tracing").light

    @numba.njit
    def all_members(x, y, z, u, v, w, depth):
        members = range(len(x))
        return np.array([light(x[k], y[k], z[k], u[k], v[k], w[k], depth[k]) for k in members])

    return lambda: all_members(*batch[:6], batch[6].astype(np.int64))


def barnes_hut(batch: Batch) -> Callable[[], Any]:
    import numba

    pull = compiled("barnes_hut").pull

    @numba.njit
    def all_members(bodies, tree):
        return np.array([pull(bodies[k], tree, 0)[0] for k in range(len(bodies))])

    return lambda: all_members(*batch[:2])


def felsenstein(batch: Batch) -> Callable[[], Any]:
    import numba

    @numba.njit
    def all_members(left, right, length, bases):
        found = np.zeros(len(left))
        nodes, sites = left.shape[1], bases.shape[1]
        below = np.empty((nodes, sites, 4))
        for k in range(len(left)):
            for node in range(nodes):
                if left[k, node] < 0:
                    below[node] = bases[node]
                    continue
                below[node] = 1.0
                for child in (left[k, node], right[k, node]):
                    kept = math.exp(-length[k, child] / 0.75)
                    for site in range(sites):
                        rest = (1.0 - kept) * 0.25 * below[child, site].sum()
                        below[node, site] *= kept * below[child, site] + rest
            for site in range(sites):
                found[k] += math.log(0.25 * below[nodes - 1, site].sum())
        return found

    return lambda: all_members(*batch[0], batch[1])


def bouncing_ball(batch: Batch) -> Callable[[], Any]:
    from scipy.integrate import solve_ivp

    pull = load("bouncing_ball").pull

    def floor(time, state, drag):
        return state[0]

    floor.terminal, floor.direction = True, -1

    def fall(height, bounce, drag):
        time, speed = 0.0, 0.0
        for _ in range(100):
            path = solve_ivp(
                lambda t, y, drag: (y[1], pull(y[1], drag)), (time, 1e3), (height, speed), "RK23",
                events=floor, args=(drag,), rtol=1e-9, atol=1e-6,
            )  # fmt: skip
            time, height, speed = path.t[-1], 0.0, -bounce * path.y[1, -1]
            if speed < 0.2:
                break
        return time

    return lambda: [fall(*values) for values in zip(*batch, strict=True)]


def tree_network(batch: Batch) -> Callable[[], Any]:
    def both(x):
        return 1.0 / (1.0 + np.exp(-x))

    words, weights = batch
    leaf, gates, shift, answer = (weights[k] for k in ("leaf", "gates", "shift", "answer"))

    def state(formula, node):
        word = formula[node]
        if word < 2:
            return np.tanh(leaf[word]), leaf[word]
        (left, left_memory), (right, right_memory) = (state(formula, 2 * node + k) for k in (1, 2))
        parts = np.split(gates[word - 2] @ np.concatenate([left, right]) + shift, 5)
        out, keep, keep_left, keep_right = map(both, parts[1:])
        memory = keep * np.tanh(parts[0]) + keep_left * left_memory + keep_right * right_memory
        return out * np.tanh(memory), memory

    return lambda: [state(formula, 0)[0] @ answer for formula in words]


def gillespie(batch: Batch) -> Callable[[], Any]:
    import numba

    @numba.njit
    def epidemic(infection, recovery):
        healthy, infected, total, time, day = 195, 5, 5, 0.0, 0
        days = np.zeros(40, np.int32)
        while infected > 0 and day < 40:
            infections = infection * healthy * infected / 200.0
            recoveries = recovery * infected
            time += np.random.exponential() / (infections + recoveries)
            while day < 40 and day < time:
                days[day] = infected
                day += 1
            if np.random.random() * (infections + recoveries) < infections:
                healthy, infected, total = healthy - 1, infected + 1, total + 1
            else:
                infected -= 1
        return days

    @numba.njit
    def all_members(infection, recovery):
        found = np.empty((len(infection), 40))
        for k in range(len(infection)):
            found[k] = epidemic(infection[k], recovery[k])
        return found

    return lambda: all_members(*batch[1:])


def waiting_line(batch: Batch) -> Callable[[], Any]:
    import numba

    @numba.njit
    def mean_wait(servers, load):
        free, now, waited = [0.0] * servers, 0.0, 0.0
        for _ in range(300):
            now += np.random.exponential() / (load * servers)
            begin = max(now, heapq.heappop(free))
            waited += begin - now
            heapq.heappush(free, begin + np.random.exponential())
        return waited / 300

    @numba.njit
    def all_members(servers, load):
        return np.array([mean_wait(servers[k], load[k]) for k in range(len(load))])

    return lambda: all_members(*batch[1:])


def annealing(batch: Batch) -> Callable[[], Any]:
    import numba

    distance = compiled("annealing").distance

    @numba.njit
    def shortest(towns, steps):
        n = len(towns)
        trip = np.arange(n)
        for step in range(steps):
            heat = 0.3 * (1.0 - step / steps) ** 2
            one, other = np.random.randint(0, n), np.random.randint(0, n)
            i, j = min(one, other), max(one, other)
            before, behind = trip[i - 1], trip[(j + 1) % n]
            longer = distance(towns, before, trip[j]) + distance(towns, trip[i], behind)
            longer -= distance(towns, before, trip[i]) + distance(towns, trip[j], behind)
            if j - i < n - 2 and (
                longer < 0.0 or np.random.random() < math.exp(-longer / (heat + 1e-6))
            ):
                trip[i : j + 1] = trip[i : j + 1][::-1].copy()
        return sum([distance(towns, trip[k - 1], trip[k]) for k in range(n)])

    @numba.njit
    def all_members(towns, steps):
        return np.array([shortest(towns[k], steps) for k in range(len(towns))])

    return lambda: all_members(*batch[1:])


def particle_filter(batch: Batch) -> Callable[[], Any]:
    random, (_, noise, observed) = np.random.default_rng(0), batch

    def run():
        particles, weights = np.zeros([len(noise), 50]), np.full([len(noise), 50], 1 / 50)
        total = np.zeros(len(noise))
        for seen in observed:
            particles += noise[:, None] * random.normal(size=particles.shape)
            weights = weights * np.exp(-2.0 * (seen - particles) ** 2)
            size = weights.sum(1)
            with np.errstate(divide="ignore", invalid="ignore"):
                total += np.log(size)
                weights /= size[:, None]
            for k in np.flatnonzero((weights**2).sum(1) > 1 / 25):
                places = (np.arange(50) + random.random()) / 50
                chosen = np.searchsorted(np.cumsum(weights[k]), places * 0.9999)
                particles[k], weights[k] = particles[k, chosen], 1 / 50
        return total

    return run


def posteriors(batch: Batch) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp
    from numpyro.infer import MCMC, NUTS

    models = load("posteriors")

    def banana(x):
        return -0.5 * ((x[0] / 2.0) ** 2 + (x[1] - 0.5 * x[0] ** 2) ** 2)

    def eight_schools(x):
        schools = x[0] + jnp.exp(x[1]) * x[2:]
        likelihood = -0.5 * jnp.sum(((models.EFFECTS - schools) / models.ERRORS) ** 2)
        half_cauchy = x[1] - jnp.log1p(jnp.exp(2.0 * x[1]) / 25.0)
        return likelihood - 0.5 * jnp.sum(x[2:] ** 2) - 0.02 * x[0] ** 2 + half_cauchy

    def bioassay(x):
        logits = x[0] + x[1] * models.DOSES
        likelihood = jnp.sum(models.DEATHS * logits - 5.0 * jax.nn.softplus(logits))
        return likelihood - 0.5 * ((x[0] / 2.0) ** 2 + (x[1] / 10.0) ** 2)

    samplers = []
    for model, start in zip((banana, eight_schools, bioassay), batch, strict=True):
        kernel = NUTS(potential_fn=lambda x, model=model: -model(x))
        options = {"num_warmup": 150, "num_samples": 200, "num_chains": len(start)}
        sampler = MCMC(kernel, chain_method="vectorized", progress_bar=False, **options)
        samplers.append((sampler, jnp.asarray(start)))

    def run():
        for sampler, start in samplers:
            sampler.run(jax.random.key(0), init_params=start)
        return np.asarray(samplers[0][0].get_samples())

    return run


PEERS = {
    "quicksort": Peer("NumPy, `sort`", quicksort),
    "kd_tree": Peer("SciPy, `KDTree`", kd_tree),
    "sudoku": Peer("Numba", sudoku),
    # The rule of the example stops too early at some sharp peaks, in plain Python, too.
    "quadrature": Peer("SciPy, `quad`", quadrature, 1e-2),
    "newton_fractal": Peer("NumPy, masks", newton_fractal),
    "decision_forest": Peer("Numba", decision_forest),
    "alpha_beta": Peer("Numba", alpha_beta),
    "ray_tracing": Peer("Numba", ray_tracing, 1e-5),
    "barnes_hut": Peer("Numba", barnes_hut, 1e-3),
    "felsenstein": Peer("Numba", felsenstein, 1e-9),
    "bouncing_ball": Peer("SciPy, `solve_ivp`", bouncing_ball, 1e-3),
    "tree_network": Peer("NumPy", tree_network, 1e-3),
    "gillespie": Peer("Numba", gillespie, None),
    "waiting_line": Peer("Numba", waiting_line, None),
    "annealing": Peer("Numba", annealing, None, result=1),
    "particle_filter": Peer("NumPy, masks", particle_filter, None),
    "posteriors": Peer("NumPyro, vectorized chains", posteriors, None),
}
