"""Physics."""

import math

G = 6.674e-11
C = 299_792_458.0
K_B = 1.380649e-23


def projectile_range(speed, angle):
    if speed < 0:
        raise ValueError("speed must not be negative")
    return speed**2 * math.sin(2 * math.radians(angle)) / 9.81


def flight_with_drag(speed, angle, drag):
    """The distance at which a ball comes down, by small steps."""
    vx = speed * math.cos(angle)
    vy = speed * math.sin(angle)
    x, y = 0.0, 0.0
    dt = 0.01
    while True:
        v = math.hypot(vx, vy)
        vx -= drag * v * vx * dt
        vy -= (9.81 + drag * v * vy) * dt
        x += vx * dt
        y += vy * dt
        if y < 0:
            break
    return round(x, 6)


def gravitational_force(m1, m2, r):
    if r == 0:
        raise ZeroDivisionError("the bodies are at one place")
    return G * m1 * m2 / r**2


def lorentz_factor(v):
    if not isinstance(v, (int, float)):
        raise TypeError("speed must be a number")
    if abs(v) >= C:
        raise ValueError("nothing is faster than light")
    return 1 / math.sqrt(1 - (v / C) ** 2)


def half_lives(amount, half_life, time):
    return amount * 0.5 ** (time / half_life)


def resistors_parallel(resistances):
    total = 0.0
    for i, r in enumerate(resistances):
        if r <= 0:
            raise ValueError("resistor has a negative or zero value")
        total += 1 / r
    return 1 / total


def center_of_mass(masses, positions):
    if len(masses) != len(positions):
        raise ValueError("lists differ in length")
    return sum(m * x for m, x in zip(masses, positions)) / sum(masses)


def convert_temperature(value, kind):
    """Celsius (0), Kelvin (1) or Fahrenheit (2) to Celsius."""
    if kind == 0:
        result = value
    elif kind == 1:
        result = value - 273.15
    elif kind == 2:
        result = (value - 32) * 5 / 9
    else:
        raise ValueError("unknown unit")
    if result < -273.15:
        raise ValueError("below absolute zero")
    return round(result, 2)


def elastic_collision(m1, v1, m2, v2):
    u1 = ((m1 - m2) * v1 + 2 * m2 * v2) / (m1 + m2)
    u2 = ((m2 - m1) * v2 + 2 * m1 * v1) / (m1 + m2)
    return u1, u2


def kepler_anomaly(mean, eccentricity):
    """Kepler's equation, by Newton's method."""
    if not 0 <= eccentricity < 1:
        raise ValueError("eccentricity must be in [0, 1)")
    e = mean if eccentricity < 0.8 else math.pi
    for _ in range(100):
        delta = (e - eccentricity * math.sin(e) - mean) / (1 - eccentricity * math.cos(e))
        e -= delta
        if abs(delta) < 1e-12:
            break
    return e


def pendulum_period(length, amplitude):
    """With terms of the series up to the sixth power."""
    t0 = 2 * math.pi * math.sqrt(length / 9.81)
    a = amplitude
    return t0 * (1 + a**2 / 16 + 11 * a**4 / 3072 + 173 * a**6 / 737280)


def oscillator(x, v, k, steps):
    """Leapfrog; the energy at the end."""
    dt = 0.05
    v -= 0.5 * dt * k * x
    for step in range(steps):
        x += dt * v
        v -= dt * k * x if step < steps - 1 else 0.5 * dt * k * x
    return 0.5 * v * v + 0.5 * k * x * x


def snell(n1, n2, angle):
    s = n1 / n2 * math.sin(math.radians(angle))
    if abs(s) > 1:
        return None
    return math.degrees(math.asin(s))


def bohr_energy(n):
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    if n < 1:
        raise ValueError("n must be at least 1")
    return -13.6 / n**2


def heat_rod(temperatures, rounds):
    """Explicit steps of the heat equation; the ends stay."""
    u = temperatures
    for _ in range(rounds):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return u


CASES = [
    (
        projectile_range,
        [(10.0, 45.0), (20.0, 30.0), (0.0, 10.0), (-1.0, 45.0), (15.0, 90.0), (30.0, 60.0)],
    ),
    (
        flight_with_drag,
        [
            (10.0, 0.7, 0.0),
            (10.0, 0.7, 0.1),
            (20.0, 1.0, 0.01),
            (5.0, 0.3, 0.5),
            (1.0, 1.5, 0.2),
            (8.0, 0.1, 0.0),
        ],
    ),
    (
        gravitational_force,
        [
            (1e3, 2e3, 1.0),
            (5.97e24, 7.35e22, 3.84e8),
            (1.0, 1.0, 0.0),
            (0.0, 1.0, 2.0),
            (2.0, 2.0, 0.5),
            (1e10, 1e10, 1e3),
        ],
    ),
    (lorentz_factor, [(0.0,), (1e8,), (2.9e8,), (299792458.0,), (-1e8,), (3e8,)]),
    (
        half_lives,
        [
            (100.0, 5.0, 10.0),
            (1.0, 1.0, 0.0),
            (50.0, 2.0, 3.0),
            (8.0, 0.5, 1.0),
            (7.0, 3.0, -3.0),
            (1.0, 0.0, 1.0),
        ],
    ),
    (
        resistors_parallel,
        [
            ([2.0, 2.0, 1.0],),
            ([1.0, 2.0, 3.0],),
            ([10.0, 0.0, 5.0],),
            ([4.7, 3.3, 2.2],),
            ([-1.0, 1.0, 1.0],),
            ([100.0, 100.0, 50.0],),
        ],
    ),
    (
        center_of_mass,
        [
            ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]),
            ([1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]),
            ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]),
            ([5.0, 1.0, 1.0], [2.0, 2.0, 2.0]),
            ([0.5, 0.5, 9.0], [1.0, 3.0, 8.0]),
            ([2.0, 4.0, 8.0], [-3.0, 0.5, 0.25]),
        ],
    ),
    (convert_temperature, [(25.0, 0), (300.0, 1), (98.6, 2), (1.0, 3), (-1.0, 1), (-40.0, 2)]),
    (
        elastic_collision,
        [
            (1.0, 1.0, 1.0, -1.0),
            (2.0, 3.0, 1.0, 0.0),
            (5.0, 0.0, 0.5, -4.0),
            (1.0, 2.0, 1e9, 0.0),
            (0.0, 1.0, 0.0, 1.0),
            (3.0, -1.0, 6.0, 2.0),
        ],
    ),
    (kepler_anomaly, [(0.5, 0.1), (1.0, 0.9), (3.0, 0.0), (0.1, 1.0), (6.0, 0.3), (2.0, 0.85)]),
    (pendulum_period, [(1.0, 0.1), (2.0, 0.5), (0.25, 1.0), (-1.0, 0.1), (0.0, 0.3), (10.0, 0.01)]),
    (
        oscillator,
        [
            (1.0, 0.0, 1.0, 10),
            (0.0, 2.0, 4.0, 50),
            (1.0, 1.0, 0.5, 1),
            (1.0, 1.0, 1.0, 0),
            (-2.0, 0.5, 9.0, 30),
            (0.1, 0.1, 2.0, 20),
        ],
    ),
    (
        snell,
        [
            (1.0, 1.5, 30.0),
            (1.0, 1.33, 45.0),
            (1.0, 1.0, 60.0),
            (1.33, 1.5, 10.0),
            (1.0, 2.4, 80.0),
            (1.5, 1.6, 0.0),
        ],
    ),
    (bohr_energy, [(1,), (2,), (3,), (0,), (10,), (-2,)]),
    (
        heat_rod,
        [
            ([0.0, 0.0, 100.0, 0.0, 0.0], 3),
            ([1.0, 2.0, 3.0, 4.0, 5.0], 2),
            ([10.0, 0.0, 0.0, 0.0, 10.0], 5),
            ([5.0, 5.0, 5.0, 5.0, 5.0], 1),
            ([1.0, 0.0, 1.0, 0.0, 1.0], 0),
            ([0.0, 9.0, 0.0, -9.0, 0.0], 4),
        ],
    ),
]
