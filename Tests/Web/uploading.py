"""What the tests of uploads share: files that are chosen, and drops that the browser opens when it is told to."""

import os
import tempfile

import real
from support import PageTest, StandInTest


def drop_held(page, name):
    """Drops a file that the browser opens only when `held[name]()` is called."""
    page.evaluate("""(name) => {
        window.held ??= {};
        const file = (done) => { window.held[name] = () => done(new File([name], name)); };
        const item = { kind: 'file', webkitGetAsEntry: () => ({ isFile: true, name, file }) };
        const drop = new Event('drop', { cancelable: true });
        drop.dataTransfer = { types: ['Files'], items: [item] };
        window.dropped = drop;
        dispatchEvent(drop);
    }""", name)


class Uploading:
    choose = staticmethod(real.choose)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def finished(self, page, text="safe to delete"):
        page.wait_for_selector(f".upload-panel .summary >> text={text}")

    def release(self, page, name):
        self.until(page, f"Boolean(window.held['{name}'])")
        page.evaluate(f"window.held['{name}'](), delete window.held['{name}']")


class UploadPageTest(Uploading, PageTest):
    def arrived(self, name, content):
        """A file is in the space, as it was sent."""
        with open(f"{self.mount}/{name}", "rb") as file:
            self.assertTrue(file.read() == content, f"{name} is not what was sent")


class UploadStandInTest(Uploading, StandInTest):
    count = 300
