"""The suite: offline, in temporary homes. Importing it refuses every connection that leaves this machine."""

from tests import guard

guard.refuse_outside()
