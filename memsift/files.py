"""The one way to read, replace and append to a file of memsift's own.

Readers never block on a pipe and never follow a link; writers leave the old file or the new one, never a mixture.
"""

from __future__ import annotations

import errno
import os
import re
import stat

FILE_MODE = 0o600
FOLDER_MODE = 0o700
MOST_BYTES = 64_000_000
_BOM = b"\xef\xbb\xbf"
_HALF_PAIR = "[\ud800-\udc7f\udd00-\udfff]"


class NotAFile(OSError):
    """The path leads to a folder, link, pipe or device where a plain file belongs."""


def open_plain(path: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor for a regular file. Raises NotAFile for anything else, FileNotFoundError if absent."""
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, FILE_MODE)
    except ValueError as error:  # NUL or half a surrogate pair, in a path from a payload
        raise NotAFile(None, "not a path", path) from error
    except OSError as error:
        if os.path.islink(path) or os.path.isdir(path):
            raise NotAFile(error.errno, "not a plain file", path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotAFile(None, "not a plain file", path)
    return descriptor


def read_bytes(path: str, limit: int = MOST_BYTES) -> bytes:
    """A plain file, whole. Raises OSError above `limit` bytes: a part of it is never taken for all of it."""
    with os.fdopen(open_plain(path), "rb") as file:
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return raw


def read_text(path: str, missing: str = "") -> str:
    """A file as text without its byte-order mark; bytes that are not UTF-8 survive a later write_text unchanged.

    Only an absent file gives `missing`: every other failure rises, so that it is never taken for an empty file.
    """
    try:
        raw = read_bytes(path)
    except FileNotFoundError:
        return missing
    return raw[len(_BOM) if raw.startswith(_BOM) else 0:].decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Text as the bytes of a file: what read_text could not decode comes out as it was, and half an emoji (a host
    cuts its texts anywhere) as a replacement character."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub(_HALF_PAIR, "\ufffd", text).encode("utf-8", "surrogateescape")


def make_folder(path: str) -> str:
    """The folder, and every parent that is missing, private to the user."""
    if os.path.isdir(path):
        return path
    parent = os.path.dirname(path)
    if parent not in ("", path):
        make_folder(parent)
    try:
        os.mkdir(path, FOLDER_MODE)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    return path


def names(folder: str) -> list[str]:
    """What a folder holds, sorted; nothing where there is no folder."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


# Other processes replace and delete files between a listing and the look at one of them: to the looker, such a file
# was never there.

def written(path: str) -> float | None:
    """When a file was last written, in seconds since 1970; None where there is no file."""
    try:
        return os.stat(path).st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None


def size(path: str) -> int:
    """The bytes of a file; 0 where there is no file."""
    try:
        return os.stat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def remove(path: str) -> None:
    """Delete a file, unless somebody else was faster."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def move(path: str, new: str) -> None:
    """Give a file another name, where there is one."""
    try:
        os.replace(path, new)
    except FileNotFoundError:
        pass


def remove_if_empty(folder: str) -> None:
    """Delete a folder that holds nothing any more, unless somebody else was faster."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def look(path: str) -> tuple[int, int, int] | None:
    """What tells one state of a file from the next; None where there is no file."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def write_text(path: str, text: str, seen: tuple[int, int, int] | None = None) -> bool:
    """Replace the file as a whole; after any failure the old one stands and no temporary file is left.

    With `seen`, False and nothing written where the file is no longer as `look` saw it: somebody has edited it.
    """
    # Not named by the process: two containers that share a home may have equal ones, and so have two threads.
    temporary = "%s.%s.tmp" % (path, os.urandom(6).hex())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(encode(text))
        if seen and look(path) != seen:
            return False
        os.replace(temporary, path)
        return True
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)


def write_all(descriptor: int, data: bytes) -> None:
    """Every byte, however the kernel splits the writes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]


def append_line(descriptor: int, line: bytes) -> None:
    """Append a line to a locked file, whole or not at all, below whatever a killed writer left unfinished."""
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        line = b"\n" + line
    try:
        write_all(descriptor, line)
    except OSError:
        os.ftruncate(descriptor, size)
        raise
