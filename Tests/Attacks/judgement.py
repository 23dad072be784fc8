"""Whether an attack tells vaults with a hidden space from those without, and what is said of it."""

from program import area

# By chance a feature separates that many pairs once in 6,435 times.
PAIRS = 8
# Of what is declared to tell; once in 35 times.
FEW = 4


def guess(feature, vaults, declared=False):
    """Whether the feature tells the vaults with a hidden space from those without: all of them, which chance does once in
    6,435 cases for eight pairs, or, if it is declared to tell, nearly so. What is a number of files is the same in all vaults
    without, so one file more in each vault with is told."""
    without = [feature(one) for one, _ in vaults]
    with_hidden = [feature(other) for _, other in vaults]
    tells = abs(area(without, with_hidden) - 0.5) >= (0.3 if declared else 0.5)
    return tells, f"without {without}, with {with_hidden}"


class Report:
    """Counts and prints what attacks learned. `bad` is how many surprise: one works, or one that is declared does not."""

    def __init__(self):
        self.bad = 0

    def line(self, attack, worked, learned, declared=False):
        word = ("DECLARED" if worked else "NO LONGER") if declared else ("WORKS" if worked else "fails")
        self.bad += word in ("WORKS", "NO LONGER")
        print(f"{word}: {attack}: {learned}", flush=True)
