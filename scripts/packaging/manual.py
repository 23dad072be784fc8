"""Writes the manual pages of agonyfs from its --help: agonyfs.1, one page for each command, mount.agonyfs.8.

    manual.py PROGRAM FOLDER DATE
"""

import json
import pathlib
import re
import subprocess
import sys

# A heading: a line of capitals and some other characters.
HEADING = re.compile(r"[A-Z][A-Z ,()\-o]+$")
# The pages of `agonyfs help` that do not explain a command, by the manual page that includes them.
PAGES = {"agonyfs": ["statuses", "limits"], "agonyfs-list": ["queries", "fields"], "agonyfs-mount": ["mount-options"]}


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text):
    """Converts text in the form of --help: paragraphs, headings in capitals, lists with hyphens, and unchanged indented
    lines."""
    lines, in_example, out = text.strip("\n").split("\n"), False, []
    for number, line in enumerate(lines):
        is_example = line.startswith("  ")
        if is_example != in_example and (is_example or line):
            out.append(".nf" if is_example else ".fi")
            in_example = is_example
        if is_example:
            out.append(escaped(line))
        elif HEADING.match(line):
            out.append(f".SH \"{escaped(line)}\"")
        elif line.startswith("- "):
            out += [".IP \\(bu 2", escaped(line[2:])]
        elif line:
            out.append(escaped(line))
        elif in_example:
            out.append("")
        elif number + 1 < len(lines) and not HEADING.match(lines[number + 1]):
            out.append(".PP")
    return out + ([".fi"] if in_example else [])


def spelled(argument):
    """The names of an option with its value, or the name of a positional argument."""
    value = f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"
    if argument["kind"] == "positional":
        return value
    names = []
    for name in argument["names"]:
        words = escaped(("--" if name["kind"] == "long" else "-") + name["name"])
        names.append(f"\\fB{words}\\fR" + (f" {value}" if argument["kind"] == "option" else ""))
    return ", ".join(names)


def options(arguments):
    out, section = [], None
    for argument in arguments:
        if not argument.get("shouldDisplay", True):
            continue
        here = argument.get("sectionTitle") or ("Arguments" if argument["kind"] == "positional" else "Options")
        if here != section:
            out.append(f".SH {escaped(here).upper()}")
            section = here
        text = [argument.get("abstract", ""), argument.get("discussion", "")]
        values = argument.get("allValues", [])
        said = argument.get("allValueDescriptions") or {}
        if values:
            text.append("Values: " + ", ".join(f"{name} ({said[name]})" if name in said else name for name in values) + ".")
        if argument.get("defaultValue"):
            text.append(f"Default: {argument['defaultValue']}.")
        out += [".TP", spelled(argument), escaped("\n".join(part for part in text if part)) or "\\&"]
    return out


def synopsis(name, command):
    if command.get("subcommands"):
        return f"\\fB{escaped(name)}\\fR \\fIcommand\\fR [\\fIoptions\\fR]"
    shown = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    words = [f"\\fB{escaped(name)}\\fR"]
    if any(argument["kind"] != "positional" for argument in shown):
        words.append("[\\fIoptions\\fR]")
    for argument in shown:
        if argument["kind"] == "positional":
            word = spelled(argument) + ("..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


class Manual:
    def __init__(self, folder, version, date, texts):
        self.folder, self.version, self.date, self.texts = pathlib.Path(folder), version, date, texts

    def pages(self, name):
        """The sections of a command's page that are pages of `agonyfs help`."""
        return [line for page in PAGES.get(name, [])
                for line in [f".SH {page.replace('-', ' ').upper()}", *paragraphs(self.texts[page])]]

    def write(self, name, section, abstract, body):
        head = [f".TH {escaped(name).upper()} {section} {self.date} \"agonyfs {self.version}\"", ".nh", ".ad l",
                ".SH NAME", f"{escaped(name)} \\- {escaped(abstract.rstrip('.'))}"]
        path = self.folder / f"man{section}" / f"{name}.{section}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(head + body) + "\n", encoding="utf-8")

    def command(self, words, command, related):
        """Writes the page of a command, which includes its subcommands."""
        name = "-".join(words)
        body = [".SH SYNOPSIS", synopsis(" ".join(words), command), ".SH DESCRIPTION",
                *paragraphs(command.get("discussion") or command["abstract"]), *options(command.get("arguments", []))]
        for each in command.get("subcommands", []):
            if each["commandName"] == "help" or not each.get("shouldDisplay", True):
                continue
            title = " ".join(words + [each["commandName"]])
            body += [f".SH \"{escaped(title)}\"", synopsis(title, each), ".PP",
                     *paragraphs(each.get("discussion") or each["abstract"]), *options(each.get("arguments", []))]
        self.write(name, 1, command["abstract"], body + self.pages(name) + [".SH SEE ALSO", related])

    def root(self, command, shown):
        body = [".SH SYNOPSIS", "\\fBagonyfs\\fR \\fIcommand\\fR [\\fIoptions\\fR]", ".br",
                "\\fBagonyfs\\fR \\fIvault\\fR \\fImount\\-point\\fR [\\fB\\-o\\fR \\fIoptions\\fR]", ".SH DESCRIPTION",
                *paragraphs(command["discussion"]), ".SH COMMANDS"]
        for each in shown:
            page = escaped("agonyfs-" + each["commandName"])
            body += [".TP", f"\\fB{page}\\fR(1)", escaped(each["abstract"])]
        self.write("agonyfs", 1, command["abstract"],
                   body + self.pages("agonyfs") + [".SH SEE ALSO", "\\fBmount.agonyfs\\fR(8)"])

    def mount_helper(self):
        body = [".SH SYNOPSIS", "\\fBmount \\-t agonyfs\\fR \\fIvault mount\\-point\\fR [\\fB\\-o\\fR \\fIoptions\\fR]",
                ".SH DESCRIPTION", *paragraphs(
                    "mount(8) starts this program for the types agonyfs and fuse.agonyfs, also for lines of /etc/fstab. It "
                    "runs agonyfs mount, which asks for the password at the terminal unless an option says where it is."),
                ".SH MOUNT OPTIONS", *paragraphs(self.texts["mount-options"]), ".SH SEE ALSO",
                "\\fBagonyfs\\-mount\\fR(1), \\fBmount\\fR(8), \\fBfstab\\fR(5)"]
        self.write("mount.agonyfs", 8, "Mount a space of an agonyfs vault", body)


def main():
    program, folder, date = sys.argv[1:]
    said = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1].rstrip(",")
    root = json.loads(said)["command"]
    texts = {each["commandName"]: each.get("discussion", "") for each in root["subcommands"]}
    manual = Manual(folder, version, date, texts)
    shown = [each for each in root["subcommands"] if each.get("shouldDisplay", True) and each["commandName"] != "help"]
    manual.root(root, shown)
    for command in shown:
        manual.command(["agonyfs", command["commandName"]], command, "\\fBagonyfs\\fR(1)")
    manual.mount_helper()


if __name__ == "__main__":
    main()
