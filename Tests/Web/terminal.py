"""A terminal that shows what a program writes, as pictures in the colours that people choose."""

import os
import pty
import subprocess
import termios
import threading

import pyte
from PIL import Image, ImageDraw, ImageOps

# What is behind the text, the text, and what black and bright white are.
COLOURS = {
    "dark": ("#000000", "#cccccc", "#000000", "#ffffff"),
    "light": ("#ffffff", "#000000", "#000000", "#ffffff"),
    "dark, of little contrast": ("#002b36", "#839496", "#073642", "#fdf6e3"),
}
# Pixels of a character; a half block is a square.
WIDTH, HEIGHT = 8, 16
# The parts of a character that have the colour of the text.
BLOCKS = {" ": (), "▀": (0,), "▄": (1,), "█": (0, 1)}


class Terminal:
    """`side` is what the program has for its input and output."""

    def __init__(self, columns=80, rows=24):
        self.screen = pyte.Screen(columns, rows)
        self.said = b""
        self.own, self.side = pty.openpty()
        termios.tcsetwinsize(self.side, (rows, columns))
        self.stream = pyte.ByteStream(self.screen)
        self.lock = threading.Lock()
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self):
        try:
            while content := os.read(self.own, 1 << 16):
                with self.lock:
                    self.said += content
                    self.stream.feed(content)
        except OSError:
            pass  # the last program has closed it

    def text(self):
        with self.lock:
            return self.said.decode(errors="ignore").replace("\r\n", "\n")

    def type(self, text):
        os.write(self.own, text.encode())

    def close(self):
        os.close(self.side)
        self.reading.join(300)
        assert not self.reading.is_alive(), "a program holds the terminal"
        os.close(self.own)

    def picture(self, colours):
        """What a camera sees."""
        back, fore, black, white = colours
        names = {"default": None, "black": black, "brightwhite": white}
        with self.lock:
            screen = self.screen
            image = Image.new("RGB", (screen.columns * WIDTH, screen.lines * HEIGHT), back)
            draw = ImageDraw.Draw(image)
            for row in range(screen.lines):
                for column in range(screen.columns):
                    character = screen.buffer[row][column]
                    x, y = column * WIDTH, row * HEIGHT
                    draw.rectangle((x, y, x + WIDTH - 1, y + HEIGHT - 1), names[character.bg] or back)
                    ink = names[character.fg] or fore
                    if character.data not in BLOCKS:
                        draw.rectangle((x + 1, y + 4, x + 5, y + 11), outline=ink)
                    for half in BLOCKS.get(character.data, ()):
                        draw.rectangle((x, y + half * 8, x + WIDTH - 1, y + half * 8 + 7), ink)
        # A window has an edge.
        return ImageOps.expand(image, 24, back)


def codes(picture, path):
    """The texts of the QR codes in a picture, which is kept at a path."""
    picture.save(path)
    done = subprocess.run(["zbarimg", "--quiet", "--raw", "--set", "disable", "--set", "qrcode.enable", path],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # 4: there is none.
    assert done.returncode in (0, 4), done
    return done.stdout.splitlines()
