"""Texts that a program makes are its characters: operators, methods, f-strings, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 7, 12, 305])
WORDS = np.array(["banana split", "", "Zoé", "a b  c", "Level", "x1y22"])
NAMES = ["ann", "Bo", ""]


# --- Operators ------------------------------------------------------------------------------------


def operators(n):
    word = NAMES[n % 3] + "-" + str(n)
    twice, line = word * 2, "=" * (n % 5)
    return (
        twice, line, word == "ann-0", "Bo-1" == word, word < "b", word >= twice, "-" in word,
        "n-" in word, len(word), bool(line), not line, line or "none", word[0], word[-1],
        word[1:], word[::-1], word[: n % 3], word + word[n % 2 :], max(word, line), word is None,
        sorted([word, line, "b"]), sorted([(line, 1), (word, 2)], reverse=True), word == n,
        word in ("ann-0", "Bo-7"), {"ann-12": 1}.get(word, 2), isinstance(word, str),
    )  # fmt: skip


def grows_in_loops(n):
    out, k = "", n
    while k > 0:
        out = "01"[k % 2] + out
        k //= 2
    for _ in range(n % 3):
        out += "."
    return out or "0", out.count("1")


def recurses(n):
    def nested(k, around):
        if k == 0:
            return around
        return nested(k - 1, f"({around}{k})")

    return nested(n % 4, "") + nested(1, "x")


def none_or_a_text(n):
    found = None
    for k in range(n % 5):
        if k % 2:
            found = f"{found}{k}" if found else str(k)
    return found


def in_structures(n):
    pair = (str(n), n)
    names = [pair[0] + "a", "b"]
    names.append(names[0] + names[1])
    table = {"key": names[-1]}
    table["key"] += "!"
    return pair, names, table["key"]


def keys(n):
    counts = {}
    for c in str(n * 1331) + NAMES[n % 3]:
        counts[c] = counts.get(c, 0) + 1
    seen = set()
    for k in range(n % 4):
        seen.add(str(k % 2) + "s")
    return counts.get("1", 0), len(counts), len(seen), "0s" in seen, sorted(counts)[0]


def lists(n):
    words = []
    for k in range(n % 6):
        words.append("w" + str(k * 7 % 5))
    words.sort()
    chars = list(str(n))
    chars.reverse()
    return (
        ",".join(words), words, sorted(words, reverse=True), "w3" in words, words.count("w1"),
        "".join(chars), "".join(sorted(str(n))), min(words, default=""), len(set(chars)),
    )  # fmt: skip


# --- Methods --------------------------------------------------------------------------------------


def cases(word):
    return (
        word.upper(), word.lower(), word.swapcase(), word.capitalize(), word.title(),
        word.isalpha(), word.isdigit(), word.isalnum(), word.isupper(), word.islower(),
        word.isspace(), word[:1].isupper(), len(word),
    )  # fmt: skip


def searches(word):
    return (
        word.find("a"), word.find("an", 2), word.find("", 4), word.rfind("a"), word.find("zz"),
        word.count("an"),
        word.count(" "), word.startswith("ban"), word.endswith(("t", "l")), "nan" in word,
        "" in word, word.replace("a", "oo"), word.replace("an", ""), word.find(""), word.count(""),
        word.index("") if word else -1,
    )  # fmt: skip


def wherever(word):
    """Parts that may overlap themselves, that depend on the member, and at most so many."""
    row, last = word * 3 + "aaaaa", word[-1:]
    return (
        row.count("aa"), row.count("aba"), row.replace("aa", "-"), row.replace("ana", "", 1),
        row.replace("a", "bb", 2), row.replace(last + "a", "?") if last else "", row.count(last),
        row.count(row[:2]), row.count("a", 3, -2), row.count("", 2), "|".join(row.split("a", 1)),
        "|".join(row.split(None, 1)), "|".join(row.split("aa")), "|".join(row.split(maxsplit=0)),
        row.split(last or "a", len(word) % 3)[0], word.startswith("a", 1), word.endswith("n", 0, 3),
        word.startswith("", 5), row.count("aa") - "abcaa".count(last), "a-b".split(word[:1] or "-"),
    )  # fmt: skip


def parted(word):
    before, found, behind = word.partition("a")
    return (
        before, found, behind, word.rpartition("a"), word.partition(" b")[2],
        "left=right".partition(word[:1] or "="), word.isascii(), word.isprintable(),
        word.casefold(),
    )  # fmt: skip


def pieces(word):
    """Lists of texts of which one path gives none."""
    if not word[1:]:
        return []
    found = word.split("a")
    found.append(word[0])
    return found


def layout(word):
    return (
        word.strip(), word.strip("bx2"), word.lstrip("a "), word.rstrip("t"), word.center(9, "*"),
        word.ljust(4) + "|", word.rjust(14, "."), word.zfill(5), word.removeprefix("a "),
        word.removesuffix("el"), " / ".join(word.split()), "+".join(word.split("a")),
    )  # fmt: skip


def formats(n):
    word = NAMES[n % 3]
    return (
        f"{n:4d}|{n:<4}|{n:^5}|{n:>3}", f"{n:03}", f"{-n:04d}", f"{n:+d}", f"{n:x}/{n:X}",
        f"{word:>5}|{word:*<4}|{word:^4}|{word!s:.1}", f"{n > 5} {word}", f"{n:b}/{n:o}",
        f"{3.5:.2f}{n}", "{}:{:>3}|{k:02d}".format(n, word, k=n),  # noqa: UP032
        "%s|%5s|%-4s|%d%%|%+d|%03d|%x|%.1s|%d" % (word, word, n, n, n, n, n, word, 2.5),  # noqa: UP031
        str(n > 1), format(n, "05b"), hex(n).upper(), f"{{{n}}}", chr(97 + n % 26),
    )  # fmt: skip


def numbers(n):
    text = str(n) + "7"
    return int(text), int("-" + text), int(f" {n} "), int(f"{n:x}", 16), int("0b" + bin(n)[2:], 2)


def floats(x):
    return (
        f"{x:.2f}", f"{x:.0f}|{x:8.3f}|{x:<7.1f}|{x:+.2f}|{x:09.2f}|{x:f}",
        "%.1f|%7.2f" % (x, x),  # noqa: UP031
        f"{round(x * 8) if x == x and abs(x) < 9 else 0:.1f}",
    )  # fmt: skip


OF_NUMBERS = [
    operators, grows_in_loops, recurses, none_or_a_text, in_structures, keys, lists, formats,
    numbers,
]  # fmt: skip


@pytest.mark.every(9)
@pytest.mark.parametrize("function", OF_NUMBERS, ids=lambda f: f.__name__)
def test_texts_that_are_made_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


OF_TEXTS = [cases, searches, wherever, parted, pieces, layout]


@pytest.mark.every(6)
@pytest.mark.parametrize("function", OF_TEXTS, ids=lambda f: f.__name__)
def test_methods_of_arguments_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, WORDS, jit=False)


@pytest.mark.thorough
def test_texts_of_floats_are_rounded_exactly() -> None:
    check(floats, np.array([0.125, 2.675, -0.004, 1e6 + 0.005, -0.0, 123.456, 0.5, 1.5]), jit=False)
    check(floats, np.array([np.inf, np.nan, -np.inf, -7.25]), jit=False)


@pytest.mark.thorough
def test_texts_of_narrow_floats_are_rounded_exactly() -> None:
    check(floats, np.array([0.1, 2.675, -1e4], np.float32), jit=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(grows_in_loops, N, **options)


def turned_round_and_counted(word, n):
    return word[::-1] + str(n)


@pytest.mark.every(3)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_arguments_under_each_strategy(options: dict[str, Any]) -> None:
    check(turned_round_and_counted, WORDS, N, **options)


def fizz_buzz(n):
    """A list of texts, of which the program names some and makes some."""
    said = []
    for k in range(1, n + 4):
        if k % 3 == 0:
            said.append("Fizz")
        elif k % 5 == 0:
            said.append("Buzz")
        else:
            said.append(str(k))
    return " ".join(said), said[-1]


@pytest.mark.thorough
def test_a_list_of_texts_that_are_named_and_made() -> None:
    check(fizz_buzz, N, jit=False)


# --- Faults, and room -----------------------------------------------------------------------------


def test_what_python_raises() -> None:
    check(lambda word: word[3], WORDS, jit=False)
    check(lambda word: word.index("a"), WORDS, jit=False)
    check(lambda word: int(word + "1"), WORDS, jit=False)
    check(lambda n: chr(n - 5), N, jit=False)


@pytest.mark.thorough
def test_a_text_is_as_long_as_it_becomes() -> None:
    def lines(n):
        out = ""
        for k in range(n):
            out += f"{k},"
        return out

    f = pcbatch.autobatch(lines)
    for _ in range(2):
        assert f(N).tolist() == [lines(int(n)) for n in N]


def test_a_long_text_of_the_program() -> None:
    long = "0123456789" * 30
    check(lambda n: (long if n > 5 else "short") + str(n), N, jit=False)


def test_a_long_argument() -> None:
    words = np.array(["a" * 200, "b"])
    check(lambda word: word + "!", words, jit=False)
    check(lambda word: word + "!", words[1:], jit=False)


def test_nobody_has_more_room_inside_a_tf_function() -> None:
    f = pcbatch.autobatch(lambda n: len("x" * n))
    run = tf.function(lambda n: f.run(n).status)
    assert (run(tf.constant([1, 32, 33])) != 0).numpy().tolist() == [False, False, True]
    assert f(tf.constant([1, 32, 33])).numpy().tolist() == [1, 32, 33]


# --- Results, and the host ------------------------------------------------------------------------


def test_labels_of_texts_that_were_made() -> None:
    made = pcbatch.autobatch(lambda n: "n" + str(n))(N)
    assert made.tolist() == [f"n{n}" for n in N]
    assert made[1] == "n1" and made[-1] == "n305" and made[1:3].tolist() == ["n1", "n2"]
    assert made[N > 5].tolist() == ["n7", "n12", "n305"]
    assert made.numpy().dtype.kind == "U" and len(made) == len(N)
    assert (made == "n7").numpy().tolist() == [n == 7 for n in N]
    assert (made == pcbatch.Labels([f"n{n}" for n in N])).numpy().all()
    assert pcbatch.autobatch(lambda word: word[1:])(made).tolist() == [str(n) for n in N]
    with pytest.raises(IndexError):
        made[6]


def test_examples_that_are_texts() -> None:
    f = pcbatch.autobatch(lambda word: word + word)
    words = ["a", "bc", "", "def"]
    assert list(pcbatch.map(f, words, lanes=2)) == [word + word for word in words]


def test_the_host_is_given_texts(capsys: pytest.CaptureFixture[str]) -> None:
    def lengths(texts):
        return np.array([len(text) for text in texts], np.int32)

    def f(n):
        word = "w" * (n % 4)
        pcbatch.debug_print("{}!", word)
        return pcbatch.host_call(lengths, word, result=tf.TensorSpec([], tf.int32))

    found = pcbatch.autobatch(f).run(N[:3], jit=False, throw=True).value
    assert found.numpy().tolist() == [0, 1, 2]
    assert sorted(capsys.readouterr().out.splitlines()) == ["[0] !", "[1] w!", "[2] ww!"]


# --- Limits ---------------------------------------------------------------------------------------


def caught(x):
    """What Python does not raise, a handler of the program must not see."""
    try:
        text, seen = f"{x:.4f}", set()
        seen.add(x)
    except Exception:
        return "caught"
    return text if x in seen else "lost"


@pytest.mark.thorough
def test_no_handler_catches_a_limit() -> None:
    result = pcbatch.autobatch(caught).run(np.array([1.5, 1e300, np.nan]), jit=False)
    said = [result.faults[int(n)].message for n in result.status[1:]]
    assert all("(a limit of pcbatch, not of Python)" in message for message in said)
    assert result.value.tolist()[0] == "1.5000"
    assert ["from 2**63 on" in said[0], "a key is NaN" in said[1]] == [True, True]


# --- What is refused ------------------------------------------------------------------------------

REFUSED = {
    "an array": (lambda n: tf.stack([str(n) + "a"]), "a text that depends on the member is used"),
    "a float in an f-string": (lambda n: f"{n / 2:g}", 'f"{...}"` is asked'),
    "a float and percent": (lambda n: "%e" % (n / 2), "`%` is asked"),
    "an unknown method": (lambda n: (str(n) + "a").splitlines(), "`str.splitlines` is asked"),
    "arguments": (lambda n: (str(n) + "a").zfill(3, "0"), "it knows zfill\\(width\\)"),
}


@pytest.mark.parametrize("use", REFUSED)
def test_what_is_refused(use: str) -> None:
    function, said = REFUSED[use]
    with pytest.raises(pcbatch.ProgramError, match=said):
        pcbatch.autobatch(function)(N)


@pytest.mark.thorough
def test_an_integer_and_a_text_do_not_go_together() -> None:
    with pytest.raises(pcbatch.ProgramError, match='can only concatenate str \\(not "int"\\)'):
        pcbatch.autobatch(lambda n: str(n) + n)(N)
