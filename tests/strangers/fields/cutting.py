"""Cutting texts and putting them together: parts of words, recursion over letters, keys of words."""

PEOPLE = ["anna", "bernadette", "otto", "christopher", "mim", "eve"]
SENTENCE = "we shall fight on the beaches we shall fight on the landing grounds"


def word_break(length):
    """Whether the head of a text is made of words of a dictionary."""
    s = "applepenapplepie"[:length]
    words = {"apple", "pen", "pie"}
    dp = [False] * (len(s) + 1)
    dp[0] = True
    for i in range(1, len(s) + 1):
        for j in range(i):
            if dp[j] and s[j:i] in words:
                dp[i] = True
                break
    return dp[len(s)]


def generate_parentheses(n):
    """All texts of n pairs of brackets that are closed."""
    found = []

    def extend(s, opened, closed):
        if len(s) == 2 * n:
            found.append(s)
            return
        if opened < n:
            extend(s + "(", opened + 1, closed)
        if closed < opened:
            extend(s + ")", opened, closed + 1)

    extend("", 0, 0)
    return len(found), found[0], found[-1]


def longest_palindrome(which, start):
    """The longest part of a name that reads the same both ways, grown from its middle."""
    s = PEOPLE[which][start:]
    best = ""
    for centre in range(len(s)):
        for left, right in ((centre, centre), (centre, centre + 1)):
            while left >= 0 and right < len(s) and s[left] == s[right]:
                left -= 1
                right += 1
            if right - left - 1 > len(best):
                best = s[left + 1 : right]
    return best


def towers_of_hanoi(discs):
    """The moves, as a text."""

    def move(n, source, target, spare):
        if n == 0:
            return ""
        before = move(n - 1, source, spare, target)
        return before + source + target + " " + move(n - 1, spare, target, source)

    return move(discs, "A", "C", "B").strip()


def anagram_classes(many):
    """How many classes of anagrams there are among the first words, and the largest one."""
    words = ["listen", "silent", "google", "enlist", "gogole", "cat", "act"][:many]
    counts = {}
    for word in words:
        key = "".join(sorted(word))
        counts[key] = counts.get(key, 0) + 1
    largest = max(counts, key=counts.get)
    return len(counts), largest, counts[largest]


def repeated_sequences(length):
    """The parts of a strand of DNA of a length that are met more than once."""
    dna, seen, repeated = "AAAAACCCCCAAAAACCC", set(), set()
    for i in range(len(dna) - length + 1):
        part = dna[i : i + length]
        if part in seen:
            repeated.add(part)
        seen.add(part)
    return sorted(repeated)


def split_in_half(n):
    """Whether the halves of a number have the same sum of digits."""
    digits = str(n)
    middle = len(digits) // 2
    left, right = digits[:middle], digits[-middle:] if middle else ""
    return left, right, sum(int(d) for d in left) == sum(int(d) for d in right)


def rotations_of(which, other):
    """By how many letters one has to turn a name to come to another; -1 where one cannot."""
    a, b = PEOPLE[which], PEOPLE[other][::-1]
    for k in range(len(a)):
        if a[k:] + a[:k] == b:
            return k
    return -1


def gray_code(bits):
    """The words of a Gray code, by prefixes."""
    words = []

    def extend(prefix, left, turned):
        if left == 0:
            words.append(prefix)
            return
        extend(prefix + ("1" if turned else "0"), left - 1, False)
        extend(prefix + ("0" if turned else "1"), left - 1, True)

    extend("", bits, False)
    return words


def decodings(n):
    """In how many ways the digits of a number are letters, 1 for A to 26 for Z."""
    digits = str(n)

    def ways(i):
        if i == len(digits):
            return 1
        if digits[i] == "0":
            return 0
        found = ways(i + 1)
        if i + 1 < len(digits) and int(digits[i : i + 2]) <= 26:
            found += ways(i + 2)
        return found

    return ways(0)


def commonest_pair(first):
    """The pair of letters that is met most often in a sentence, from a place on."""
    text = SENTENCE[first:].replace(" ", "")
    counts = {}
    for i in range(len(text) - 1):
        pair = text[i : i + 2]
        counts[pair] = counts.get(pair, 0) + 1
    best = ""
    for pair, count in counts.items():
        if best == "" or count > counts[best]:
            best = pair
    return best, counts[best], len(counts)


def run_lengths(n):
    """The runs of the binary digits of a number, `3x1 2x0` for 11100."""
    bits = bin(n)[2:]
    parts, start = [], 0
    while start < len(bits):
        end = start
        while end < len(bits) and bits[end] == bits[start]:
            end += 1
        parts.append(f"{end - start}x{bits[start]}")
        start = end
    return " ".join(parts)


CASES = [
    (word_break, [(k,) for k in (0, 5, 7, 8, 13, 16)]),
    (generate_parentheses, [(k,) for k in (1, 2, 3, 2, 1, 3)]),
    (longest_palindrome, [(0, 0), (1, 0), (2, 1), (3, 4), (4, 0), (1, 6)]),
    (towers_of_hanoi, [(k,) for k in (0, 1, 2, 3, 2, 1)]),
    (anagram_classes, [(k,) for k in range(1, 8)]),
    (repeated_sequences, [(k,) for k in (1, 3, 5, 8, 9, 4)]),
    (split_in_half, [(k,) for k in (7, 11, 1203, 4567, 99009, 123321)]),
    (rotations_of, [(0, 0), (2, 2), (4, 4), (5, 0), (1, 1), (2, 0)]),
    (gray_code, [(k,) for k in (0, 1, 2, 3, 1, 2)]),
    (decodings, [(k,) for k in (5, 12, 226, 1203, 2101, 30)]),
    (commonest_pair, [(k,) for k in (0, 9, 30, 50, 60, 20)]),
    (run_lengths, [(k,) for k in (0, 1, 6, 28, 57, 255)]),
]
