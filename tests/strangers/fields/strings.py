"""Strings: words and codes of a table, read character by character."""

from collections import Counter

NUMERALS = ["III", "IV", "IX", "LVIII", "MCMXCIV", "CDXLIV", "MMXXVI"]
WORDS = ["level", "kitten", "sitting", "Refer", "banana", "stats", "rhythm"]
GENES = ["GATTACA", "CCGGAATT", "A", "TTTTTTTT", "ACGTACGT", "GGGCCC"]
SUMS = ["3 4 + 2 *", "5 1 2 + 4 * + 3 -", "2 3 4 * +", "9", "8 2 /", "1 +"]


def roman_to_int(which):
    """The value of a Roman numeral."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    before = 0
    for letter in reversed(NUMERALS[which]):
        value = values[letter]
        if value < before:
            total -= value
        else:
            total += value
        before = max(before, value)
    return total


def is_palindrome(which):
    """Whether a word reads the same backwards."""
    word = WORDS[which].lower()
    left, right = 0, len(word) - 1
    while left < right:
        if word[left] != word[right]:
            return False
        left, right = left + 1, right - 1
    return True


def levenshtein(first, second):
    """The edit distance of two words."""
    a, b = WORDS[first], WORDS[second]
    if len(a) < len(b):
        a, b = b, a
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a):
        current = [i + 1]
        for j, y in enumerate(b):
            insertion = previous[j + 1] + 1
            deletion = current[j] + 1
            substitution = previous[j] + (x != y)
            current.append(min(insertion, deletion, substitution))
        previous = current
    return previous[-1]


def hamming(first, second):
    """In how many places two words of one length differ."""
    a, b = WORDS[first], WORDS[second]
    if len(a) != len(b):
        raise ValueError("the words must be of one length")
    return sum(x != y for x, y in zip(a, b))


def gc_content(which):
    """The share of G and C in a gene, and whether it is its own reverse complement."""
    gene = GENES[which]
    pairs = {"A": "T", "T": "A", "G": "C", "C": "G"}
    share = (gene.count("G") + gene.count("C")) / len(gene)
    own = all(pairs[gene[i]] == gene[len(gene) - 1 - i] for i in range(len(gene)))
    return share, own


def longest_run(which):
    """The longest run of one base in a gene, and the base."""
    gene = GENES[which]
    best, base, run = 1, gene[0], 1
    for i in range(1, len(gene)):
        run = run + 1 if gene[i] == gene[i - 1] else 1
        if run > best:
            best, base = run, gene[i]
    return best, base


def first_unique(which):
    """The first letter of a word that is there once only."""
    word = WORDS[which]
    counts = Counter(word)
    for letter in word:
        if counts[letter] == 1:
            return letter
    return None


def postfix(which):
    """The value of a sum in reverse Polish notation."""
    stack = []
    for token in SUMS[which]:
        if token == " ":
            continue
        if token.isdigit():
            stack.append(int(token))
            continue
        b = stack.pop()
        a = stack.pop()
        if token == "+":
            stack.append(a + b)
        elif token == "-":
            stack.append(a - b)
        elif token == "*":
            stack.append(a * b)
        else:
            stack.append(a // b)
    return stack[-1]


def shared_prefix(first, second):
    """How long the common beginning of two words is, and which word is first in a dictionary."""
    a, b = WORDS[first], WORDS[second]
    k = 0
    while k < min(len(a), len(b)) and a[k] == b[k]:
        k += 1
    return k, min(a, b)


def caesar_score(which, shift):
    """How many letters of a word are vowels when it is shifted along the alphabet."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    score = 0
    for letter in WORDS[which].lower():
        shifted = alphabet[(alphabet.index(letter) + shift) % 26]
        if shifted in "aeiou":
            score += 1
    return score


CASES = [
    (roman_to_int, [(k,) for k in range(7)]),
    (is_palindrome, [(k,) for k in range(7)]),
    (levenshtein, [(1, 2), (0, 0), (4, 6), (2, 1), (3, 5), (6, 0)]),
    (hamming, [(0, 3), (0, 5), (1, 4), (1, 2), (4, 6), (5, 5)]),
    (gc_content, [(k,) for k in range(6)]),
    (longest_run, [(k,) for k in range(6)]),
    (first_unique, [(k,) for k in range(7)]),
    (postfix, [(k,) for k in range(6)]),
    (shared_prefix, [(0, 1), (1, 1), (2, 5), (5, 2), (3, 4), (6, 3)]),
    (caesar_score, [(0, 1), (1, 0), (2, 13), (3, 25), (4, 4), (6, 7)]),
]
