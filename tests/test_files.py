import errno
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
import unittest
from unittest import mock

from memsift import files
from tests.support import ROOT
from tests.support import HomeTest

_FILL_THE_DISK = """
import os, resource, signal, sys
sys.path.insert(0, sys.argv[1])
from memsift import files
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    files.write_text(sys.argv[2], "n" * 50_000)
except OSError as error:
    sys.exit(9 if os.path.getsize(sys.argv[2]) == 3 else 8)
"""


def _rewrite(path, letter, times):
    for _ in range(times):
        files.write_text(path, letter * 20_000)


class FilesTest(HomeTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "notes.md")

    def test_file_that_is_gone_when_looked_at_was_never_there(self):
        for path in (self.path, os.path.join(self.path, "below")):
            self.assertEqual((files.written(path), files.size(path), files.names(path)), (None, 0, []))
        files.remove(self.path)
        files.move(self.path, self.path + ".new")
        files.remove_if_empty(self.path)
        self.put(b"- note")
        self.assertEqual(files.size(self.path), 6)
        self.assertEqual(files.names(self.path), [])
        files.remove_if_empty(self.folder)
        self.assertTrue(os.path.exists(self.path))

    def put(self, raw):
        with open(self.path, "wb") as file:
            file.write(raw)

    def raw(self):
        with open(self.path, "rb") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.folder))


class Reading(FilesTest):
    def test_text_comes_without_its_byte_order_mark(self):
        for raw, text in ((b"", ""), (b"\xef\xbb\xbf- a\r\n", "- a\r\n"), ("ä\u2028\0".encode(), "ä\u2028\0"),
                          (b"\xef\xbb\xbf", "")):
            with self.subTest(raw=raw):
                self.put(raw)
                self.assertEqual(files.read_text(self.path), text)

    def test_bytes_that_are_not_text_come_back_as_they_were(self):
        raw = b"a\xff\xfe\x80 \xc3\xa9 \xed\xa0\x80\r\n\x00"
        self.put(raw)
        files.write_text(self.path, files.read_text(self.path))
        self.assertEqual(self.raw(), raw)

    def test_only_an_absent_file_is_an_empty_one(self):
        self.assertEqual(files.read_text(self.path), "")
        self.assertEqual(files.read_text(self.path, missing="{}"), "{}")
        self.put(b"x" * 11)
        with self.assertRaises(OSError):
            files.read_bytes(self.path, limit=10)
        self.assertEqual(files.read_bytes(self.path, limit=11), b"x" * 11)

    def test_link_pipe_device_and_folder_are_refused_at_once(self):
        self.put(b"secret")
        places = {name: os.path.join(self.folder, name) for name in ("link", "dangling", "pipe", "folder",
                                                                     "folder-link")}
        os.symlink(self.path, places["link"])
        os.symlink(os.path.join(self.folder, "absent"), places["dangling"])
        os.mkfifo(places["pipe"])
        os.mkdir(places["folder"])
        os.symlink(places["folder"], places["folder-link"])
        places["device"] = "/dev/zero"
        for name, path in places.items():
            for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
                with self.subTest(name=name, flags=flags), self.assertRaises(files.NotAFile):
                    files.open_plain(path, flags)
            with self.subTest(name=name), self.assertRaises(files.NotAFile):
                files.read_text(path)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "absent")))

    def test_what_cannot_be_a_path_is_an_error_of_the_system_like_any_other(self):
        for path in ("/tmp/a\0b", "/tmp/\ud83d.jsonl", "/dev/null/x", "/tmp/" + "n" * 5000):
            with self.subTest(path=path[:20]), self.assertRaises(OSError):
                files.open_plain(path)

    @unittest.skipIf(os.getuid() == 0, "the superuser can read everything")
    def test_unreadable_file_is_never_an_empty_one(self):
        self.put(b"- a note\n")
        os.chmod(self.path, 0)
        with self.assertRaises(OSError):
            files.read_text(self.path)


class Writing(FilesTest):
    def test_files_and_folders_are_private_whatever_the_umask(self):
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        folder = files.make_folder(os.path.join(self.folder, "a", "b", "c"))
        files.write_text(os.path.join(folder, "notes.md"), "x")
        os.close(files.open_plain(os.path.join(folder, "new"), os.O_RDWR | os.O_CREAT))
        for path, mode in (("a", 0o700), ("a/b", 0o700), ("a/b/c", 0o700), ("a/b/c/notes.md", 0o600),
                           ("a/b/c/new", 0o600)):
            with self.subTest(path=path):
                self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.folder, path)).st_mode), mode)

    def test_folder_that_is_a_file_is_an_error(self):
        self.put(b"x")
        for path in (self.path, os.path.join(self.path, "below"), "/proc/nowhere/below", ""):
            with self.subTest(path=path), self.assertRaises(OSError):
                files.make_folder(path)
        self.assertEqual(files.make_folder(self.folder), self.folder)

    def test_disk_full_leaves_the_old_file_and_no_leftover(self):
        self.put(b"old")
        before = self.names()
        for failing in ("os.write", "os.replace"):
            error = OSError(errno.ENOSPC, "No space left on device")
            patch = mock.patch.object(files, "encode", side_effect=error) if failing == "os.write" else \
                mock.patch("os.replace", side_effect=error)
            with self.subTest(failing=failing), patch, self.assertRaises(OSError):
                files.write_text(self.path, "new")
            self.assertEqual((self.raw(), self.names()), (b"old", before))

    def test_file_that_may_not_grow_any_more_leaves_the_old_one_and_no_leftover(self):
        self.put(b"old")
        before = self.names()
        done = subprocess.run([sys.executable, "-c", _FILL_THE_DISK, ROOT, self.path], stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertEqual((self.raw(), self.names()), (b"old", before))

    def test_half_an_emoji_from_a_host_is_written_all_the_same(self):
        files.write_text(self.path, "cut \ud83d here \ude00, whole \U0001f600")
        self.assertEqual(self.raw().decode(), "cut \ufffd here \ufffd, whole \U0001f600")

    def test_two_writers_at_once_leave_one_of_the_two_files(self):
        writers = [multiprocessing.Process(target=_rewrite, args=(self.path, letter, 60)) for letter in "cd"]
        writers += [threading.Thread(target=_rewrite, args=(self.path, letter, 60)) for letter in "ab"]
        files.write_text(self.path, "x" * 20_000)
        before = self.names()
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            self.assertEqual(len(set(self.raw())), 1)
            self.assertEqual(len(self.raw()), 20_000)
        for writer in writers:
            writer.join()
            self.assertEqual(getattr(writer, "exitcode", 0), 0)
        self.assertEqual(self.names(), before)


class Appending(FilesTest):
    def append(self, line):
        descriptor = files.open_plain(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            files.append_line(descriptor, line)
        finally:
            os.close(descriptor)

    def test_line_goes_below_what_a_killed_writer_left(self):
        for before, after in ((b"", b"new\n"), (b"old\n", b"old\nnew\n"), (b"half", b"half\nnew\n")):
            with self.subTest(before=before):
                self.put(before)
                self.append(b"new\n")
                self.assertEqual(self.raw(), after)

    def test_disk_full_in_the_middle_of_a_line_takes_the_line_back(self):
        self.put(b"old\n")
        real = os.write
        parts = iter((3, None))

        def write(descriptor, data):
            size = next(parts)
            if size is None:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(descriptor, bytes(data[:size]))
        with mock.patch("os.write", write), self.assertRaises(OSError):
            self.append(b"a long line\n")
        self.assertEqual(self.raw(), b"old\n")

    def test_line_arrives_whole_however_the_kernel_splits_it(self):
        real = os.write
        with mock.patch("os.write", lambda descriptor, data: real(descriptor, bytes(data[:2]))):
            self.append(b"a long line\n")
        self.assertEqual(self.raw(), b"a long line\n")


if __name__ == "__main__":
    unittest.main()
