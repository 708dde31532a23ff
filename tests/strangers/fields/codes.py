"""Texts as lists of codes, ciphers and checksums."""


def caesar(codes, shift):
    """Shift the letters; the rest stays."""
    result = []
    for c in codes:
        if 65 <= c <= 90:
            result.append((c - 65 + shift) % 26 + 65)
        elif 97 <= c <= 122:
            result.append((c - 97 + shift) % 26 + 97)
        else:
            result.append(c)
    return result


def vigenere(codes, key):
    return [(c - 65 + key[i % len(key)] - 65) % 26 + 65 for i, c in enumerate(codes)]


def count_vowels(codes):
    vowels = [ord(v) for v in "aeiou"]
    return sum(1 for c in codes if c in vowels)


def is_palindrome_codes(codes):
    i, j = 0, len(codes) - 1
    while i < j:
        if codes[i] != codes[j]:
            return False
        i += 1
        j -= 1
    return True


def run_lengths(codes):
    """Pairs of a code and how often it stands in a row, one after the other."""
    result = []
    i = 0
    while i < len(codes):
        count = 1
        while i + count < len(codes) and codes[i + count] == codes[i]:
            count += 1
        result.append(codes[i])
        result.append(count)
        i += count
    return result


def djb2(codes):
    h = 5381
    for c in codes:
        h = ((h << 5) + h + c) & 0xFFFFFFFF
    return h


def adler32(codes):
    a, b = 1, 0
    for c in codes:
        a = (a + c) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def crc8(codes):
    crc = 0
    for byte in codes:
        if not 0 <= byte <= 255:
            raise ValueError("not a byte")
        crc ^= byte
        for _ in range(8):
            if crc & 0x80:
                crc = ((crc << 1) ^ 0x07) & 0xFF
            else:
                crc = (crc << 1) & 0xFF
    return crc


def balanced(codes):
    """Are the brackets ()[]{} of a text balanced?"""
    closing = {41: 40, 93: 91, 125: 123}
    stack = []
    for c in codes:
        if c in closing.values():
            stack.append(c)
        elif c in closing:
            if not stack or stack.pop() != closing[c]:
                return False
    return not stack


def naive_find(text, pattern):
    for i in range(len(text) - len(pattern) + 1):
        j = 0
        while j < len(pattern) and text[i + j] == pattern[j]:
            j += 1
        if j == len(pattern):
            return i
    return -1


def kmp_find(text, pattern):
    failure = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[k] != pattern[i]:
            k = failure[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        failure[i] = k
    k = 0
    for i, c in enumerate(text):
        while k > 0 and pattern[k] != c:
            k = failure[k - 1]
        if pattern[k] == c:
            k += 1
        if k == len(pattern):
            return i - k + 1
    return -1


def anagrams(a, b):
    counts = [0] * 26
    for c in a:
        counts[c - ord("a")] += 1
    for c in b:
        counts[c - ord("a")] -= 1
    return all(n == 0 for n in counts)


def roman_to_integer(symbols):
    """Symbols are the values of the letters."""
    total = 0
    for i in range(len(symbols)):
        if i + 1 < len(symbols) and symbols[i] < symbols[i + 1]:
            total -= symbols[i]
        else:
            total += symbols[i]
    return total


def parse_integer(codes):
    value = 0
    for c in codes:
        if c < 48 or c > 57:
            raise ValueError("not a digit")
        value = 10 * value + (c - 48)
    return value


def reverse_polish(tokens):
    """Numbers are positive; -1, -2, -3 mean plus, minus and times."""
    stack = []
    for token in tokens:
        if token >= 0:
            stack.append(token)
        else:
            b = stack.pop()
            a = stack.pop()
            if token == -1:
                stack.append(a + b)
            elif token == -2:
                stack.append(a - b)
            elif token == -3:
                stack.append(a * b)
            else:
                raise ValueError("unknown operator")
    return stack[-1]


def hamming_parity(bits):
    """Encode four bits as seven."""
    d1, d2, d3, d4 = bits
    return [d1 ^ d2 ^ d4, d1 ^ d3 ^ d4, d1, d2 ^ d3 ^ d4, d2, d3, d4]


def text(*words):
    return [[ord(c) for c in word] for word in words]


WORDS = text("hello", "level", "Zebra", "aaabb", "a b c", "queue")

CASES = [
    (caesar, [(word, shift) for word, shift in zip(WORDS, (3, -1, 29, 0, 13, 1))]),
    (
        vigenere,
        [
            (word, key)
            for word, key in zip(
                text("HELLO", "WORLD", "AAAAA", "ZZZZZ", "CRYPT", "BATCH"),
                text("KEY", "ABC", "XYZ", "AAA", "QED", "PYT"),
            )
        ],
    ),
    (count_vowels, [(word,) for word in WORDS]),
    (is_palindrome_codes, [(word,) for word in WORDS]),
    (run_lengths, [(word,) for word in WORDS]),
    (djb2, [(word,) for word in WORDS]),
    (adler32, [(word,) for word in WORDS]),
    (crc8, [(word,) for word in [*WORDS[:5], [1, 2, 256, 3, 4]]]),
    (
        balanced,
        [(word,) for word in text("([]){}", "((()))", "([)]()", "}}}}}}", "((((((", "a(b)c]")],
    ),
    (
        naive_find,
        list(
            zip(
                text("abcabcd", "aaaaaab", "mississ", "zzzzzzz", "banana!", "xabxabc"),
                text("abcd", "aaab", "issi", "zzzy", "anan", "abxa"),
            )
        ),
    ),
    (
        kmp_find,
        list(
            zip(
                text("abcabcd", "aaaaaab", "mississ", "zzzzzzz", "banana!", "xabxabc"),
                text("abcd", "aaab", "issi", "zzzy", "anan", "abxa"),
            )
        ),
    ),
    (
        anagrams,
        list(
            zip(
                text("listen", "abcdef", "aabbcc", "zzzzzz", "python", "Python"),
                text("silent", "fedcba", "abcabd", "zzzzzz", "typhon", "typhon"),
            )
        ),
    ),
    (
        roman_to_integer,
        [
            ([10, 1, 5],),
            ([1, 1, 1],),
            ([1000, 100, 1000],),
            ([100, 10, 50],),
            ([5, 1, 1],),
            ([50, 1, 10],),
        ],
    ),
    (
        parse_integer,
        [(word,) for word in text("12345", "00042", "99999", "12a45", "-1234", "00000")],
    ),
    (
        reverse_polish,
        [
            ([2, 3, -1, 4, -3],),
            ([5, 1, 2, -1, -2],),
            ([1, 2, 3, -3, -1],),
            ([7, 8, -2, 2, -3],),
            ([1, -1, 2, 3, 4],),
            ([1, 2, -9, 3, -1],),
        ],
    ),
    (
        hamming_parity,
        [
            ([0, 0, 0, 0],),
            ([1, 0, 1, 1],),
            ([1, 1, 1, 1],),
            ([0, 1, 0, 1],),
            ([1, 0, 0, 0],),
            ([0, 0, 1, 1],),
        ],
    ),
]
