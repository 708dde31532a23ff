"""Texts that are made: numbers in words and in other bases, ciphers, codes, words taken apart."""


def fizz_buzz(n):
    """The word of a number in a game of children."""
    if n % 15 == 0:
        return "FizzBuzz"
    if n % 3 == 0:
        return "Fizz"
    if n % 5 == 0:
        return "Buzz"
    return str(n)


def roman_numeral(n):
    """A number as the Romans wrote it."""
    letters = ""
    for value, letter in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        while n >= value:
            letters += letter
            n -= value
    return letters


def to_base(n, base):
    """A number in another base, by recursion."""
    digits = "0123456789ABCDEF"
    if n < base:
        return digits[n]
    return to_base(n // base, base) + digits[n % base]


def in_words(n):
    """A number below a hundred in English."""
    ones = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
        "nineteen",
    ]  # fmt: skip
    tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if n < 20:
        return ones[n]
    if n % 10 == 0:
        return tens[n // 10]
    return tens[n // 10] + "-" + ones[n % 10]


def look_and_say(steps):
    """A row of the look-and-say sequence."""
    row = "1"
    for _ in range(steps):
        following = ""
        place = 0
        while place < len(row):
            run = 1
            while place + run < len(row) and row[place + run] == row[place]:
                run += 1
            following += str(run) + row[place]
            place += run
        row = following
    return row


def algae(steps):
    """Lindenmayer's algae."""
    cells = "A"
    for _ in range(steps):
        cells = "".join("AB" if cell == "A" else "A" for cell in cells)
    return cells


def caesar(text, shift):
    """A cipher that moves each letter along the alphabet."""
    secret = ""
    for letter in text:
        if letter.isalpha():
            first = ord("A") if letter.isupper() else ord("a")
            secret += chr((ord(letter) - first + shift) % 26 + first)
        else:
            secret += letter
    return secret


def vigenere(text, key):
    """Vigenere's cipher of capital letters."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    secret = []
    for place, letter in enumerate(text):
        shift = alphabet.index(key[place % len(key)])
        secret.append(alphabet[(alphabet.index(letter) + shift) % 26])
    return "".join(secret)


def run_lengths(text):
    """Each letter with the number of times that it stands there in a row."""
    found = ""
    place = 0
    while place < len(text):
        end = place
        while end < len(text) and text[end] == text[place]:
            end += 1
        found += text[place] + str(end - place)
        place = end
    return found


def is_palindrome(text):
    """Whether a sentence is the same backward, but for cases and signs."""
    letters = "".join(c.lower() for c in text if c.isalnum())
    return letters == letters[::-1]


def reversed_words(text):
    """The words of a sentence from last to first."""
    return " ".join(reversed(text.split()))


def pig_latin(word):
    """A word with its first consonants behind it."""
    if word[0] in "aeiou":
        return word + "way"
    for place in range(len(word)):
        if word[place] in "aeiou":
            return word[place:] + word[:place] + "ay"
    return word + "ay"


def acronym(text):
    """The first letters of the words of a name."""
    letters = ""
    for word in text.split():
        letters += word[0].upper()
    return letters


def longest_common_subsequence(a, b):
    """A longest text that is left of both when letters are struck out."""
    if not a or not b:
        return ""
    if a[0] == b[0]:
        return a[0] + longest_common_subsequence(a[1:], b[1:])
    first = longest_common_subsequence(a[1:], b)
    second = longest_common_subsequence(a, b[1:])
    return first if len(first) >= len(second) else second


def are_anagrams(a, b):
    """Whether two words have the same letters."""
    return sorted(a) == sorted(b)


def most_common_letter(text):
    """The letter that is met most often, of several the first in the alphabet."""
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    best = None
    for letter in sorted(counts):
        if best is None or counts[letter] > counts[best]:
            best = letter
    return best


def clock(minutes):
    """A time of the day."""
    hours, minutes = divmod(minutes, 60)
    half = "am" if hours % 24 < 12 else "pm"
    return f"{(hours - 1) % 12 + 1}:{minutes:02d} {half}"


def ordinal(n):
    """1st, 2nd, 3rd, ..."""
    if 10 <= n % 100 <= 20:
        return f"{n}th"
    return str(n) + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def coins(cents):
    """An amount in as few coins as there can be."""
    parts = []
    for value, name in ((25, "quarter"), (10, "dime"), (5, "nickel"), (1, "penny")):
        number, cents = divmod(cents, value)
        if number == 1:
            parts.append(f"1 {name}")
        elif number > 1:
            parts.append(f"{number} {'pennies' if name == 'penny' else name + 's'}")
    return ", ".join(parts) or "nothing"


def moves_of_hanoi(discs):
    """The moves that solve the tower of Hanoi."""

    def move(n, source, target, spare):
        if n == 0:
            return ""
        before = move(n - 1, source, spare, target)
        return before + source + target + " " + move(n - 1, spare, target, source)

    return move(discs, "A", "C", "B").strip()


def pyramid(row, height):
    """A row of a pyramid of stars."""
    return " " * (height - row) + "*" * (2 * row - 1)


def checked_isbn(digits):
    """An ISBN with its last digit."""
    total = 0
    for place, digit in enumerate(digits):
        total += (10 - place) * int(digit)
    last = -total % 11
    return digits + ("X" if last == 10 else str(last))


_SENTENCES = (
    ("was it a car or a cat I saw",), ("the quick brown fox",), ("level",), ("Hello, World!",),
    ("to be or not to be",), ("a",), ("Anna  Lena",),
)  # fmt: skip
_PAIRS = (
    ("listen", "silent"), ("abcde", "ace"), ("kit", "sit"), ("", "ab"), ("aab", "aba"),
    ("stone", "onset"),
)  # fmt: skip
_COUNTS = ((0,), (1,), (2,), (3,), (4,), (5,))
_NUMBERS = ((1,), (3,), (5,), (15,), (12,), (21,), (98,), (40,))

CASES = (
    (fizz_buzz, _NUMBERS),
    (roman_numeral, ((1,), (4,), (9,), (14,), (40,), (1994,), (3999,))),
    (to_base, ((255, 16), (10, 2), (0, 7), (99, 3), (4095, 16), (8, 8))),
    (in_words, _NUMBERS),
    (look_and_say, _COUNTS),
    (algae, _COUNTS),
    (caesar, tuple((text, k) for k, (text,) in enumerate(_SENTENCES))),
    (vigenere, (("ATTACK", "LEMON"), ("HELLO", "K"), ("", "AB"), ("XYZ", "BC"), ("A", "Z"),
                ("FLEE", "NOW"))),
    (run_lengths, (("aaabbc",), ("",), ("abc",), ("zzzzzzzzzzzz",), ("aabaa",), ("x",))),
    (is_palindrome, _SENTENCES),
    (reversed_words, _SENTENCES),
    (pig_latin, (("apple",), ("string",), ("shy",), ("queen",), ("yellow",), ("o",))),
    (acronym, (("portable network graphics",), ("as soon as possible",), ("one",), ("a b c d",),
               ("Ruby on Rails",), ("",))),
    (longest_common_subsequence, _PAIRS),
    (are_anagrams, _PAIRS),
    (most_common_letter, (("banana",), ("a",), ("zebra",), ("aabb",), ("bbaa",), ("xyzzy",))),
    (clock, ((0,), (59,), (60,), (719,), (720,), (1439,))),
    (ordinal, _NUMBERS),
    (coins, ((1,), (0,), (41,), (99,), (26,), (5,))),
    (moves_of_hanoi, ((0,), (1,), (2,), (3,), (1,), (4,))),
    (pyramid, ((1, 5), (2, 5), (5, 5), (3, 4), (1, 1), (4, 6))),
    (checked_isbn, (("030640615",), ("097522980",), ("080442957",), ("043942089",), ("000000000",),
                    ("123456789",))),
)  # fmt: skip
