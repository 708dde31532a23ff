"""Lists of texts, and of constants of an Enum: boards, stacks of brackets, queues of words."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, 11)
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def noughts_and_crosses(n):
    board, player, at = [" "] * 9, "X", n
    for _ in range(9):
        at = (at * 5 + 3) % 11
        if at < 9 and board[at] == " ":
            board[at] = player
            player = "O" if player == "X" else "X"
    wins = 0
    for a, b, c in LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            wins += 1 if board[a] == "X" else -1
    return wins, board.count(" "), "X" in board


def brackets(n):
    text, opening, stack = "(([]{}))[]", {")": "(", "]": "[", "}": "{"}, []
    for i in range(n):
        c = text[i % len(text)]
        if c in "([{":
            stack.append(c)
        elif not stack or stack.pop() != opening[c]:
            return False, i
    return not stack, len(stack)


def words(n):
    out = []
    while n > 0:
        out.append("odd" if n % 2 else "even")
        n //= 2
    return out.count("odd"), len(out), [1 if word == "odd" else 0 for word in out]


class Light(enum.Enum):
    RED = 1
    GREEN = 2
    AMBER = 3


def lights(n):
    row = [Light.RED] * 4
    for i in range(n):
        j = i % 4
        if row[j] is Light.RED:
            row[j] = Light.GREEN
        elif row[j] == Light.GREEN:
            row[j] = Light.AMBER
        else:
            row[j] = Light.RED
    return row.count(Light.RED), sum(1 for x in row if x == Light.AMBER), row[n % 4].value


def rows(n):
    grid = [["."] * 4 for _ in range(4)]
    for i in range(n):
        grid[i % 4][i * 3 % 4] = "#"
    return sum(row.count("#") for row in grid), sum(1 for row in grid for c in row if c == ".")


def or_none(n):
    names = [None] * 3
    names[n % 3] = "a"
    return names.count("a"), names[1] is None, names[0] == "b", None in names, any(names)


def beside_numbers(n):
    moves = []
    for i in range(n):
        moves.append(("left" if i % 2 else "right", i))
    return sum(k for side, k in moves if side == "left"), ("left", 1) in moves


def letters(n):
    s = list("hello world")
    for i in range(n):
        j, k = i % len(s), i * 3 % len(s)
        s[j], s[k] = s[k], s[j]
    return s.index("w"), s.count("l"), s[0] == "h", s[2:4] == ["l", "l"]


def missing(n):
    s = ["a", "b"]
    s[n % 2] = "c"
    return s.index("a")


def truths(n):
    xs, ys = [], ["", ""]
    for i in range(n):
        xs.append("" if i % 3 else "a")
    ys[n % 2] = "b" if n > 2 else ""
    return any(xs), all(xs), any(ys), all(ys), [1 if y else 0 for y in ys]


def queue_of_words(n):
    queue, steps = deque(["start"]), 0
    while queue and steps < n:
        word = queue.popleft()
        steps += 1
        if word == "start":
            queue.append("middle")
            queue.append("end")
        elif word == "middle":
            queue.append("start")
    return len(queue), steps, queue.count("end")


def equal(n):
    a, b = ["x"] * 3, ["x"] * 3
    a[n % 3] = "y"
    b[1] = "y"
    return a == b, a == ["y", "x", "x"], a != b


def values_of_a_dict(n):
    color = {}
    for i in range(n):
        color[i] = "red" if i % 2 else "blue"
    return sum(1 for v in color.values() if v == "red"), color.get(1) == "red", color.get(9) is None


class Node:
    def __init__(self, tag, following):
        self.tag, self.following = tag, following


def attributes_of_nodes(n):
    node, number = None, 0
    for i in range(n):
        node = Node("odd" if i % 2 else "even", node)
    while node is not None:
        number += 1 if node.tag == "odd" else 10
        node = node.following
    return number


def what_a_dict_has_for_an_element(n):
    states = ["idle"]
    after = {"idle": "run", "run": "stop", "stop": "idle"}
    for _ in range(n):
        states.append(after[states[-1]])
    return {"idle": 0, "run": 1, "stop": 2}[states[-1]], states.count("run")


PROGRAMS = (
    noughts_and_crosses, brackets, words, lights, rows, or_none, beside_numbers, letters, missing,
    truths, queue_of_words, equal, values_of_a_dict, attributes_of_nodes,
    what_a_dict_has_for_an_element,
)  # fmt: skip


@pytest.mark.every(15)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


WAYS: tuple[dict[str, Any], ...] = ({}, {"strategy": "hybrid"}, {"strategy": "loop"})


@pytest.mark.every(3)
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(noughts_and_crosses), N, **how)
    check(shared(brackets), N, **how)


# --- Texts of which a member chooses one ----------------------------------------------------------

MAZE = ["#########", "#..#....#", "#.##.##.#", "#....#..#", "#########"]
FRUITS = ["kiwi", "fig", "", "banana"]


def steps_in_a_maze(n):
    seen = [[False] * 9 for _ in range(5)]
    queue, far = deque([(1, 1, 0)]), 0
    seen[1][1] = True
    while queue:
        r, c, far = queue.popleft()
        if far >= n:
            break
        for dr, dc in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            a, b = r + dr, c + dc
            if MAZE[a][b] != "#" and not seen[a][b]:
                seen[a][b] = True
                queue.append((a, b, far + 1))
    return far, MAZE[far % 5][-far % 9 - 9] == "."


def letters_of_words(n):
    last = FRUITS[n % 4][-1] == "a"
    return last, len(FRUITS[n % 4]), FRUITS[n % 4][n % 5] == "n"


def a_letter_in_a_variable(n):
    c = FRUITS[n % 2][n % 3]
    return (
        c in "aeiou",
        {"k": 1, "i": 2, "w": 3, "f": 4, "g": 5}[c],
        ("zero", "one")[n % 2][1] == "n",
    )


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "function",
    [steps_in_a_maze, letters_of_words, a_letter_in_a_variable],
    ids=lambda f: f.__name__,
)
def test_letters_of_a_chosen_text_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


# --- What is refused ------------------------------------------------------------------------------


class Speed(str, enum.Enum):  # noqa: UP042
    SLOW = "slow"


def filled(n):
    xs = ["a"] * 3
    xs[n % 3] = "b"
    return xs


def grown(n):
    xs = []
    for i in range(n):
        xs.append("a" if i % 2 else "b")
    return xs


USED = "a text that depends on the member is used"
USES: dict[str, Callable[[Any], Any]] = {
    "array": lambda xs: np.array(xs).size,
    "sum": lambda xs: np.sum(xs),
    "tensor": lambda xs: tf.size(tf.stack(xs)),
    "text": lambda xs: len(str(xs)),
    "of an enum": lambda xs: Speed.SLOW in xs,
    "number": lambda xs: xs.append(1),
}


OF_NUMPY = "NumPy takes numbers and arrays, not str"
SAID = {
    "text": "`str` is asked", "number": "does not fit into", "array": f"{OF_NUMPY}|{USED}",
    "sum": f"{OF_NUMPY}|{USED}",
}  # fmt: skip


@pytest.mark.every(16)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", [filled, grown])
def test_what_hangs_on_their_characters_is_refused(make: Callable[[Any], Any], use: str) -> None:
    function = USES[use]
    with pytest.raises(ProgramError, match=SAID.get(use, USED)):
        pcbatch.autobatch(lambda n: function(make(n))).run(N[2:], strategy="local")
