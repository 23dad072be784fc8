"""Prints the licences and notices in folders of Swift packages, and the texts of other files, each text once with the
names of the packages that have it.

    licences.py CHECKOUTS... [NAME=FILE...]
"""

import pathlib
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE")


def main():
    texts = {}
    for other in (word for word in sys.argv[1:] if "=" in word):
        name, _, path = other.partition("=")
        texts.setdefault(pathlib.Path(path).read_text(encoding="utf-8").strip(), set()).add(name)
    for folder in (pathlib.Path(word) for word in sys.argv[1:] if "=" not in word):
        for package in sorted(folder.iterdir()):
            files = [path for path in sorted(package.iterdir()) if path.is_file() and path.name.upper().startswith(NAMES)]
            if not files:
                sys.exit(f"{package} has no licence")
            # Licences of other projects that the package includes.
            sources = package / "Sources"
            files += [path for path in sorted(sources.rglob("*")) if path.is_file() and path.name.upper().startswith(NAMES)]
            for path in files:
                texts.setdefault(path.read_text(encoding="utf-8").strip(), set()).add(package.name)
    # The runtime of Swift has the same licence as Swift's own packages.
    for text, packages in sorted(texts.items(), key=lambda pair: sorted(pair[1])):
        print(f"{'=' * 80}\n{', '.join(sorted(packages))}\n{'=' * 80}\n\n{text}\n")


if __name__ == "__main__":
    main()
