"""Branch lengths of evolutionary trees, by recursion: `python examples/phylogenetics.py`.

The likelihood of a tree is Felsenstein's pruning (1981, "Evolutionary trees from DNA sequences"),
with the substitution model of Hasegawa, Kishino and Yano (1985). Its gradient finds the branch
lengths of greatest likelihood of many topologies at once, and of many bootstrap replicates, and
`nuts` draws branch lengths from their posterior.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import nuts
import pcbatch

DESCRIPTION = "Branch lengths of evolutionary trees, by recursion over one tree."
BASES = "ACGT"


def hky(kappa: float, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The model's rate matrix as `left @ diag(rates) @ right`, for one substitution a unit of time.

    Transitions (A and G, C and T) are `kappa` times as frequent as transversions. With kappa 1 and
    equal frequencies it is the model of Jukes and Cantor.
    """
    shares = frequencies
    ratio = np.array([[0, 1, kappa, 1], [1, 0, 1, kappa], [kappa, 1, 0, 1], [1, kappa, 1, 0]])
    matrix = ratio * shares
    matrix -= np.diag(matrix.sum(1))
    matrix /= -(shares @ np.diag(matrix))
    root = np.sqrt(shares)
    rates, vectors = np.linalg.eigh(root[:, None] * matrix / root)
    return vectors / root[:, None], rates, vectors.T * root


FREQUENCIES = tf.constant([0.3, 0.2, 0.2, 0.3], tf.float64)
LEFT, RATES, RIGHT = map(tf.constant, hky(3.0, FREQUENCIES.numpy()))


class Tree(NamedTuple):
    """A topology of T taxa, int32[2 T - 1]: the leaves are nodes 0 to T - 1, the root is the last.

    The model is reversible, so that sequences do not tell where the root is. It stands at the inner
    end of the branch of taxon 0: its children are node 0 and, no way off, node 2 T - 3.

    Attributes:
      left: the left child of each node, -1 at leaves.
      right: the right child, likewise.
    """

    left: Any
    right: Any


class Alignment(NamedTuple):
    """The sequences of T taxa: S kinds of columns, and how often each was seen.

    Attributes:
      bases: float64[T, S, 4], one for the base that a taxon has, else zero.
      counts: float64[S].
    """

    bases: Any
    counts: Any


def transition(length):
    """The probability of each base (column) at the end of a branch, given that (row) above it."""
    return (LEFT * tf.exp(RATES * length)) @ RIGHT


def along(below, length):
    """The probability of what is seen below a branch, for each base above it: float64[S, 4]."""
    return below @ tf.transpose(transition(length))


@pcbatch.autobatch
def prune(bases, tree, lengths, node):
    """The probability of what is seen below a node, for each base that it may have: float64[S, 4].

    Args:
      bases: of the `Alignment`.
      tree: the `Tree`.
      lengths: float64[2 T - 2], of the branch above each node but the root.
      node: int32[].
    """
    left, right = tree.left[node], tree.right[node]
    if left < 0:
        return bases[node]
    return along(prune(bases, tree, lengths, left), lengths[left]) * along(
        prune(bases, tree, lengths, right), lengths[right]
    )


@pcbatch.autobatch
def log_likelihood(log_lengths, alignment, tree):
    """The log likelihood of the branches above nodes 0 to 2 T - 4, whose lengths are logarithms."""
    root = len(tree.left) - 1
    lengths = tf.pad(tf.exp(log_lengths), [[0, 1]])
    below = prune(alignment.bases, tree, lengths, root)
    return tf.reduce_sum(alignment.counts * tf.math.log(tf.linalg.matvec(below, FREQUENCIES)))


def brute_force(log_lengths: np.ndarray, alignment: Alignment, tree: Tree) -> float:
    """The same by the definition: a sum over the bases of all inner nodes, 4 ** (T - 1) terms."""
    taxa, root = len(alignment.bases), len(tree.left) - 1
    moves = [transition(length).numpy() for length in [*np.exp(log_lengths), 0.0]]
    total = 0.0
    for inner in itertools.product(range(4), repeat=taxa - 1):
        term = FREQUENCIES.numpy()[inner[-1]] * np.ones(len(alignment.counts))
        for parent in range(taxa, root + 1):
            for child in (tree.left[parent], tree.right[parent]):
                row = moves[child][inner[parent - taxa]]
                term = term * (
                    alignment.bases[child] @ row if child < taxa else row[inner[child - taxa]]
                )
        total = total + term
    return float(np.sum(alignment.counts * np.log(total)))


def random_tree(taxa: int, random: np.random.Generator) -> Tree:
    """A tree that joins two nodes without a parent, until one is left beside taxon 0."""
    left, right = np.full([2, 2 * taxa - 1], -1, np.int32)
    free = list(range(1, taxa))
    for node in range(taxa, 2 * taxa - 2):
        random.shuffle(free)
        left[node], right[node] = free.pop(), free.pop()
        free.append(node)
    left[-1], right[-1] = 0, free.pop()
    return Tree(left, right)


def evolve(tree: Tree, lengths: np.ndarray, sites: int, random: np.random.Generator) -> Alignment:
    """Draw sequences of so many sites along branches of given lengths, float64[2 T - 3]."""
    taxa, root = (len(tree.left) + 1) // 2, len(tree.left) - 1
    sequences = np.zeros([root + 1, sites], np.int64)
    lengths = np.append(lengths, 0.0)

    def go_down(parent: int) -> None:
        for child in (tree.left[parent], tree.right[parent]):
            shares = transition(lengths[child]).numpy()[sequences[parent]]
            larger = random.random([sites, 1]) > np.cumsum(shares, 1)[:, :3]
            sequences[child] = np.sum(larger, 1)
            if child >= taxa:
                go_down(child)

    sequences[root] = random.choice(4, sites, p=FREQUENCIES)
    go_down(root)
    columns, counts = np.unique(sequences[:taxa], axis=1, return_counts=True)
    return Alignment(np.eye(4)[columns], counts.astype(float))


def neighbours(tree: Tree) -> list[Tree]:
    """The 2 (T - 3) trees in which two subtrees beside an inner branch have changed places."""
    taxa, root = (len(tree.left) + 1) // 2, len(tree.left) - 1
    found = []
    for parent, side, other in itertools.product(range(taxa, root), range(2), range(2)):
        child = tree[side][parent]
        if child >= taxa:
            changed = Tree(tree.left.copy(), tree.right.copy())
            changed[1 - side][parent] = tree[other][child]
            changed[other][child] = tree[1 - side][parent]
            found.append(changed)
    return found


def most_likely(alignment: Alignment, tree: Tree, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The branch lengths of greatest likelihood of B members, by Adam.

    Args:
      alignment: bases float64[T, S, 4], which all members share, and counts float64[B, S].
      tree: int32[B, 2 T - 1].
      steps: of Adam.

    Returns:
      The log likelihoods, float64[B], and the lengths, float64[B, 2 T - 3].
    """
    gradient = pcbatch.value_and_grad(log_likelihood)
    shape = tree.left.shape[0], tree.left.shape[1] - 2
    variable = tf.Variable(tf.fill(shape, tf.constant(np.log(0.1), tf.float64)))
    optimizer = tf.keras.optimizers.Adam(0.1)
    for _ in range(steps):
        run = gradient.run(variable, alignment, tree, in_axes=(0, Alignment(None, 0), 0))
        value, slope = run.value
        optimizer.apply_gradients([(-slope, variable)])
    return value.numpy(), np.exp(variable.numpy())


def posterior(alignment: Alignment, tree: Tree, mean: float = 0.1) -> pcbatch.Autobatched:
    """The log density of the logarithms of branch lengths, each with an exponential prior."""
    alignment, tree = tf.nest.map_structure(tf.constant, (alignment, tree))

    @pcbatch.autobatch
    def log_density(log_lengths):
        log_prior = tf.reduce_sum(log_lengths - tf.exp(log_lengths) / mean)
        return log_prior + log_likelihood(log_lengths, alignment, tree)

    return log_density


def draw(truth: np.ndarray, replicates: np.ndarray, draws: np.ndarray, path: str) -> None:
    """Draw the branch lengths' truth and 90% intervals as a PNG; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes, places = figure.subplots(), np.arange(len(truth))
    for shift, name, values in ((-0.15, "bootstrap", replicates), (0.15, "posterior", draws)):
        low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
        errors = [middle - low, high - middle]
        axes.errorbar(places + shift, middle, errors, fmt=".", capsize=3, label=f"{name}, 90%")
    axes.plot(places, truth, "k_", markersize=14, label="truth")
    axes.set(xlabel="branch above node", ylabel="substitutions a site", xticks=places)
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, dpi=90)


def check_by_brute_force(random: np.random.Generator) -> None:
    """Compare pruning with the sum over all inner bases on small trees."""
    trees = [random_tree(5, random) for _ in range(4)]
    log_lengths = np.log(random.uniform(0.05, 0.5, [4, 7]))
    alignment = evolve(trees[0], np.exp(log_lengths[0]), 50, random)
    stacked = Tree(*map(np.stack, zip(*trees, strict=True)))
    found = log_likelihood.run(log_lengths, alignment, stacked, in_axes=(0, None, 0)).value
    expected = [brute_force(x, alignment, t) for x, t in zip(log_lengths, trees, strict=True)]
    worst = np.max(np.abs(found / expected - 1.0))
    print(f"four trees of 5 taxa, against the sum over all inner bases: {worst:.1e} apart")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=DESCRIPTION)
    add = parser.add_argument
    add("--taxa", type=int, default=10, help="leaves of the tree [%(default)s]")
    add("--sites", type=int, default=600, help="length of the sequences [%(default)s]")
    add("--replicates", type=int, default=50, help="of the bootstrap [%(default)s]")
    add("--steps", type=int, default=100, help="of the search for maxima [%(default)s]")
    add("--chains", type=int, default=64, help="of NUTS [%(default)s]")
    add("--draws", type=int, default=100, help="of each chain [%(default)s]")
    add("--warmup", type=int, default=100, help="draws before [%(default)s]")
    add("--seed", type=int, default=0, help="of all that is random [%(default)s]")
    add("--figure", metavar="PNG", help="draw the branch lengths into this file")
    options = parser.parse_args(argv)

    random = np.random.default_rng(options.seed)
    check_by_brute_force(random)
    tree = random_tree(options.taxa, random)
    truth = 0.02 + random.exponential(0.1, 2 * options.taxa - 3)
    alignment = evolve(tree, truth, options.sites, random)

    candidates = [tree, *neighbours(tree)]
    trees = candidates + options.replicates * [tree]
    shares = alignment.counts / options.sites
    counts = [*len(candidates) * [alignment.counts]]
    counts += [*random.multinomial(options.sites, shares, options.replicates)]
    members = Alignment(alignment.bases, np.array(counts, float))
    began = time.perf_counter()
    stacked = Tree(*map(np.stack, zip(*trees, strict=True)))
    values, lengths = most_likely(members, stacked, options.steps)
    seconds = time.perf_counter() - began
    print(f"{len(trees)} trees, {options.steps} gradients each: {seconds:.0f} s to compile and run")
    behind = np.sort(values[0] - values[1 : len(candidates)])
    print(f"log likelihood of the true topology, less those of its {len(behind)} neighbours:")
    print("  " + " ".join(f"{value:.1f}" for value in behind))

    fit = nuts.sample(
        posterior(alignment, tree),
        tf.constant(np.log(lengths[0])),
        num_chains=options.chains,
        num_draws=options.draws,
        num_warmup=options.warmup,
        seed=options.seed,
        progress=False,
    )
    draws = np.exp(fit.draws).reshape(-1, len(truth))
    made = np.sum(fit.stats.num_leapfrogs) / fit.timing.sampling
    print(f"NUTS: {len(draws)} draws, {made:.0f} gradients/s")
    print("branch   true  likeliest  bootstrap sd  posterior mean     sd")
    replicates = lengths[len(candidates) :]
    columns = truth, lengths[0], replicates.std(0), draws.mean(0), draws.std(0)
    for node, row in enumerate(zip(*columns, strict=True)):
        print(f"{node:6}", "{:.3f}  {:9.3f}  {:12.3f}  {:14.3f}  {:.3f}".format(*row), sep="  ")
    for warning in fit.warnings():
        print(warning)
    if options.figure:
        draw(truth, replicates, draws, options.figure)


if __name__ == "__main__":
    main()
