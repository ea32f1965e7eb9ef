"""A healthy installation has no finding; each planted fault is found alone, with the right advice."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from memsift import pending
from memsift import switch
from memsift.deadline import Deadline
from memsift.doctor import case as cases
from memsift.entry import Entry
from memsift.longterm import outbox
from memsift.longterm import processing
from memsift.remote.pauses import Pauses
from tests.doctor.healthy import EVENTS
from tests.doctor.healthy import NAME
from tests.doctor.healthy import HealthyTest

DAY = 86400


class Healthy(HealthyTest):
    def test_no_finding(self):
        self.assertEqual([finding.what for finding in self.findings()], [])

    def test_no_finding_where_only_one_host_is_used(self):
        for folder in (self.claude, self.codex):
            os.rename(folder, folder + "-gone")
            self.assertEqual([finding.what for finding in self.findings()], [])
            os.rename(folder + "-gone", folder)

    def test_file_that_a_worker_deletes_while_its_folder_is_read_is_no_fault(self):
        listed = os.listdir
        os.mkdir(self.home.outbox(self.name))
        with mock.patch("os.listdir", lambda folder: listed(folder) + ["sent.json", "pending-sorted.jsonl"]):
            self.assertEqual([finding.what for finding in self.findings()], [])

    def test_nothing_is_changed(self):
        def state():
            return {os.path.join(folder, name): (os.lstat(os.path.join(folder, name)).st_mtime_ns,
                                                 os.lstat(os.path.join(folder, name)).st_size)
                    for folder, folders, names in os.walk(self.folder) for name in folders + names}
        self.write(self.home.state, "{broken")
        before = state()
        self.findings()
        self.assertEqual(state(), before)


    def test_out_of_time_it_says_what_was_not_examined(self):
        with mock.patch("tests.doctor.healthy.Deadline", return_value=Deadline(0.0)):
            report = self.report()
        self.assertEqual({name for section in report.sections for name, _ in section.facts}, {"not examined"})

    def test_examiner_that_fails_hides_none_of_the_others(self):
        os.unlink(os.path.join(self.project, "jev.md"))
        with mock.patch("memsift.doctor.memory.examine", side_effect=PermissionError(13, "Permission denied", "/x")):
            found = [finding.what for finding in self.findings()]
        self.assertEqual(len(found), 2)
        self.assertIn("has no card", found[0])
        self.assertIn("memory could not be examined: [Errno 13] Permission denied", found[1])


class Hosts(HealthyTest):
    def test_codex_hooks_that_were_never_trusted(self):
        self.write(self.config, self.codex_config(events=()))
        found = self.assert_found("Codex does not trust 6 of memsift's 6 hooks", "type /hooks, and trust")
        self.assertIn("skipped without a word", found.why)

    def test_one_codex_hook_that_is_not_trusted(self):
        self.write(self.config, self.codex_config(events=EVENTS[:-1]))
        self.assert_found("1 of memsift's 6 hooks (session_end)", "type /hooks")

    def test_codex_hooks_trusted_in_an_older_state_of_the_plugin(self):
        text = self.codex_config().replace('trusted_content_hash = "sha256:cd"',
                                           'trusted_content_hash = "sha256:old"', 1)
        self.write(self.config, text)
        self.assert_found("in an older state of the plugin", "type /hooks")

    def test_codex_hook_switched_off(self):
        self.write(self.config, self.codex_config().replace("trusted_hash", "enabled = false\ntrusted_hash", 1))
        self.assert_found("switched off in Codex (session_start)", "switch them on")

    def test_all_hooks_switched_off_in_codex(self):
        self.write(self.config, self.codex_config(more="[features]\nhooks = false\n"))
        self.assert_found("Hooks are switched off in Codex", "Remove that line")

    def test_file_in_codexs_copy_of_the_plugin_that_came_after_the_trust(self):
        self.see("s2", "codex", self.rollout, ago=100)
        os.utime(self.config, (self.now - 50, self.now - 50))
        self.write(os.path.join(self.bundle, "notes.txt"), "stray")
        found = self.assert_found("changed after its hooks were trusted", "codex plugin add %s" % NAME)
        self.assertIn(self.bundle, found.what)

    def test_copies_of_the_plugin_that_are_gone(self):
        os.rename(self.bundle, os.path.join(self.folder, "elsewhere"))
        self.assert_found("Codex's copy of the plugin is gone", "codex plugin add")
        os.rename(os.path.join(self.folder, "elsewhere"), self.bundle)
        os.unlink(os.path.join(self.claude, "plugins", "cache", "memsift", "memsift", os.path.basename(self.bundle),
                               "hooks", "claude_code.py"))
        self.assert_found("Claude Code's copy of the plugin is gone", "claude plugin install")

    def test_plugin_switched_off(self):
        self.write(os.path.join(self.claude, "settings.json"), {"enabledPlugins": {NAME: False}})
        self.assert_found("switched off in Claude Code", "claude plugin enable %s" % NAME)
        self.write(os.path.join(self.claude, "settings.json"),
                   {"enabledPlugins": {NAME: True}, "disableAllHooks": True})
        self.assert_found("disableAllHooks", "settings.json")
        self.write(os.path.join(self.claude, "settings.json"), {})
        self.write(self.config, self.codex_config().replace("enabled = true", "enabled = false"))
        self.assert_found("switched off in Codex", "enabled = true")

    def test_hooks_that_have_not_run_lately_though_the_host_was_used(self):
        self.see("s1", "claude-code", self.transcript, ago=3 * DAY)
        with mock.patch("memsift.doctor.claude.installed_at", return_value=self.now - 9 * DAY):
            found = self.assert_found("last ran 3 days ago", "type /hooks in Claude Code")
        self.assertIn("without a word", found.why)
        self.see("s1", "claude-code", self.transcript)
        self.see("s2", "codex", self.rollout, ago=3 * DAY)
        os.utime(self.bundle, (self.now - 9 * DAY,) * 2)
        self.assert_found("last ran 3 days ago", "type /hooks in Codex")

    def test_hooks_that_have_never_run(self):
        os.unlink(self.home.session("s1"))
        self.assert_found("have never run", "type a prompt")

    def test_hooks_that_have_not_run_for_weeks(self):
        self.see("s1", "claude-code", self.transcript, ago=20 * DAY)
        os.utime(self.transcript, (self.now - 20 * DAY,) * 2)
        self.assert_found("The hooks last ran 20 days ago", "Type a prompt there")

    def test_only_some_hooks_run(self):
        self.see("s2", "codex", self.rollout, ran=("session-start", "answer"))
        self.assert_found("hook at a prompt has never run", "ype /hooks in Codex")

    def test_host_versions_that_were_not_tested(self):
        self.install_in_claude(version="2.0.7")
        self.assert_found("Claude Code is 2.0.7, older than", "Update Claude Code")
        self.install_in_claude(version="3.0.0")
        self.assert_found("Claude Code is 3.0.0, of another series", "Update memsift")
        self.install_in_claude(version="2.1.400")
        self.install_in_codex(version="0.139.0")
        self.assert_found("Codex is 0.139.0, older than", "Update Codex")

    def test_two_versions_of_memsift_on_the_same_files(self):
        path = os.path.join(self.claude, "plugins", "installed_plugins.json")
        with open(path, encoding="utf-8") as file:
            installed = json.load(file)
        installed["plugins"][NAME][0]["version"] = "0.0.3"
        self.write(path, installed)
        self.assert_found("Claude Code runs memsift 0.0.3", "claude plugin marketplace update memsift")

    def test_config_that_codex_cannot_read_either(self):
        self.write(self.config, b"\xff\xfe[[[")
        if sys.version_info >= (3, 11):
            self.assert_found("config.toml cannot be read", "Correct that file")


class OtherPlugins(HealthyTest):
    def test_second_memory_plugin_in_claude_code(self):
        path = os.path.join(self.claude, "plugins", "installed_plugins.json")
        with open(path, encoding="utf-8") as file:
            installed = json.load(file)
        installed["plugins"]["cognee-memory@cognee"] = [{"scope": "user", "installPath": "/x", "version": "1.7.5"}]
        self.write(path, installed)
        found = self.assert_found("cognee-memory@cognee is on in Claude Code",
                                  "claude plugin disable cognee-memory@cognee")
        self.assertIn("Both add text", found.why)
        self.write(os.path.join(self.claude, "settings.json"),
                   {"enabledPlugins": {NAME: True, "cognee-memory@cognee": False}})
        self.assertEqual(self.findings(), [])

    def test_second_memory_plugin_in_codex(self):
        self.write(self.config, self.codex_config(more='[plugins."claude-mem@thedotmack"]\nenabled = true\n'))
        self.assert_found("claude-mem@thedotmack is on in Codex", "codex plugin remove claude-mem@thedotmack")

    def test_hook_of_another_memory_in_the_settings(self):
        hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "npx claude-mem recall"}]}]}
        self.write(os.path.join(self.claude, "settings.json"), {"enabledPlugins": {NAME: True}, "hooks": hooks})
        self.assert_found("holds a hook of claude-mem", "Remove it")

    def test_status_line_of_a_plugin_that_is_gone(self):
        line = {"type": "command", "command": "bash ~/.claude/cognee-statusline.sh"}
        self.write(os.path.join(self.claude, "settings.json"), {"enabledPlugins": {NAME: True}, "statusLine": line})
        self.assert_found("status line", "Remove statusLine")


class Settings(HealthyTest):
    def test_bad_value_with_its_file_and_line(self):
        self.set("# settings", "MEMSIFT_MAX_NOTES=many")
        self.assert_found("MEMSIFT_MAX_NOTES (%s:2)" % self.env_file, "Correct the value")

    def test_bad_value_in_the_environment(self):
        self.assert_found("MEMSIFT_FALLBACK (environment)", "Correct the value", host="codex",
                          MEMSIFT_FALLBACK="perhaps")

    def test_misspelt_name(self):
        self.set("MEMSIFT_JEV_APIKEY=invented")
        self.assert_found("MEMSIFT_JEV_APIKEY (%s:1)" % self.env_file, "Write MEMSIFT_JEV_KEY instead")

    def test_key_in_a_file_that_is_not_read(self):
        path = self.write(os.path.join(self.project, ".env"), "DATABASE_URL=x\nMEMSIFT_JEV_KEY=invented-key\n")
        found = self.assert_found("MEMSIFT_JEV_KEY stands in %s:2" % path, "Move that line to %s" % self.env_file)
        self.assertNotIn("invented-key", found.what + found.why + found.do)

    def test_key_only_in_this_shells_environment(self):
        self.set("MEMSIFT_SORTER=local")
        self.assert_found("MEMSIFT_JEV_KEY is set only in the environment", "Put them into", MEMSIFT_JEV_KEY="invented")

    def test_file_with_a_key_that_others_can_read(self):
        self.set("MEMSIFT_SORTER=local", "MEMSIFT_JEV_KEY=invented")
        os.chmod(self.env_file, 0o644)
        self.assert_found("Others on this machine can read", "chmod 600 %s" % self.env_file)

    def test_file_named_that_is_not_there(self):
        self.assert_found("COGNEE_ENV_FILE names /nonexistent/.env", "Correct that variable",
                          COGNEE_ENV_FILE="/nonexistent/.env")

    def test_memory_switched_off_for_everything(self):
        self.set("MEMSIFT_SORTER=off")
        self.assert_found("MEMSIFT_SORTER is off (%s:1)" % self.env_file, "Remove that line")

    def test_keys_are_never_shown(self):
        key = "sk-or-v1-" + "0123456789abcdef" * 4
        self.set("MEMSIFT_JEV_KEY=" + key, "MEMSIFT_SORTER=local")
        self.assertNotIn(key, json.dumps(self.report().facts()))
        self.assertIn("present (%s:1)" % self.env_file, json.dumps(self.report().facts()))
        self.set("MEMSIFT_SORTER=local", "MEMSIFT_JEV_URL=https://judge.acme-shop.example/v1?api_key=" + key)
        self.assertNotIn(key, json.dumps(self.report().facts()))


class Here(HealthyTest):
    def test_no_card(self):
        os.unlink(os.path.join(self.project, "jev.md"))
        self.assert_found("has no card", "memsift card")

    def test_card_that_names_what_is_gone_or_misses_what_came(self):
        self.write(os.path.join(self.project, "Cargo.toml"), "[package]\n")
        self.assert_found("does not mention Rust, which Cargo.toml says", "--propose")

    def test_card_that_cannot_be_read(self):
        path = os.path.join(self.project, "jev.md")
        os.unlink(path)
        os.symlink("/etc/passwd", path)
        self.assert_found("cannot be read", "plain file")

    def test_memory_switched_off_here(self):
        switch.turn_off(self.home, self.name)
        self.assert_found("switched off for this repository", "memsift on")

    def test_folder_that_belongs_to_nobody(self):
        self.assert_found("has no memory", "Work in a project's folder", self.user_home)


class Waiting(HealthyTest):
    def row(self, number):
        return {"id": "s1/t%d" % number, "session": "s1", "turn": "t%d" % number, "host": "codex", "date": "2026-11-20",
                "end": "answered", "again": False, "prompts": ["x"], "answer": "y", "changes": [], "transcript": ""}

    def test_turns_that_wait(self):
        for number in range(3):
            pending.append(self.home, self.name, self.row(number))
        found = self.assert_found("3 turns of %s have waited" % self.name, "/memsift-resume")
        self.assertIn("not remembered yet", found.why)

    def test_turns_that_have_just_come_are_no_finding(self):
        pending.append(self.home, self.name, dict(self.row(1), date=time.strftime("%Y-%m-%d")))
        self.assertEqual(self.findings(), [])

    def test_packets_that_do_not_leave(self):
        self.set("MEMSIFT_COGNEE_URL=http://127.0.0.1:9")
        outbox.put(self.home, self.name, [Entry("k1", "2026-11-30", "Carts expire after a day.")])
        folder = self.home.outbox(self.name)
        for name in os.listdir(folder):
            os.utime(os.path.join(folder, name), (self.now - DAY,) * 2)
        found = [finding for finding in self.findings() if "packet" in finding.what]
        self.assertEqual(len(found), 1)
        self.assertIn("1 packet of %s has waited 1 day" % self.name, found[0].what)
        self.assertIn("/memsift-resume", found[0].do)

    def test_documents_that_the_store_cannot_process(self):
        self.set("MEMSIFT_COGNEE_URL=http://127.0.0.1:9")
        for repairs, said in ((0, None), (3, "(it ended as errored), though it was asked again 3 times, last 1 day ago")):
            processing.write(self.home, self.name, processing.Unprocessed(self.now - DAY, repairs, "it ended as errored"))
            found = [finding.what for finding in self.findings() if "searchable" in finding.what]
            self.assertEqual(len(found), 1 if said else 0)
            self.assertIn(said or "", "".join(found))

    def test_packets_without_a_server(self):
        outbox.put(self.home, "other-0123456789", [Entry("k1", "2026-11-30", "Carts expire after a day.")])
        self.assert_found("1 packet of other-0123456789", "Set MEMSIFT_COGNEE_URL again", now=self.now + DAY,
                          host="codex")


class Locks(HealthyTest):
    def hold(self, name):
        code = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)"
        holder = subprocess.Popen([sys.executable, "-c", code, os.path.join(self.home.repository(self.name), name)],
                                  stdout=subprocess.PIPE)
        self.addCleanup(holder.stdout.close)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        holder.stdout.readline()
        return holder

    @unittest.skipUnless(os.path.exists("/proc/locks"), "needs /proc")
    def test_lock_of_a_process_that_is_stopped(self):
        holder = self.hold("replay.lock")
        self.assertEqual(self.findings(), [])
        self.assertIn("held by process %d" % holder.pid, json.dumps(self.report().facts()))
        holder.send_signal(signal.SIGSTOP)
        self.wait_for(lambda: self.findings())
        self.assert_found("Process %d holds" % holder.pid, "kill -CONT %d" % holder.pid)

    @unittest.skipUnless(os.path.exists("/proc/locks"), "needs /proc")
    def test_lock_held_for_longer_than_a_worker_lives(self):
        holder = self.hold("compaction.lock")
        with mock.patch("memsift.doctor.locks.LONGEST_SECONDS", -1):
            self.assert_found("Process %d has held" % holder.pid, "kill %d" % holder.pid)

    def test_looking_takes_no_lock(self):
        with open(os.path.join(self.home.repository(self.name), "replay.lock"), "w", encoding="utf-8") as file:
            with mock.patch("fcntl.flock", side_effect=AssertionError("took a lock")):
                self.findings()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Files(HealthyTest):
    def repo(self, name):
        return os.path.join(self.memsift_home, "repos", self.name, name)

    def test_broken_lines_of_every_file(self):
        for name, content, said, do in (
                ("draft.md", b"# Notes\n- We use Postgres.\n- \xff\xfe broken\n", "line 3", "any editor"),
                ("digest.md", b"- We use\0 Postgres.\n", "line 1", "any editor"),
                ("pending.jsonl", b'{"half": \n', "line 1 is no turn", "delete it"),
                ("cognee-index.json", b"{", "cognee-index.json is broken", "plain JSON"),
                ("outbox/p1.json", b"[]", "p1.json is broken", "plain JSON")):
            with self.subTest(name):
                path = self.write(self.repo(name), content)
                self.assert_found(said, do)
                os.unlink(path)
        for name, content, said in (("state.json", "{", "state.json is broken"), ("sessions/s9.json", "no", "s9.json is broken")):
            with self.subTest(name):
                path = self.write(os.path.join(self.memsift_home, name), content)
                self.assert_found(said, "plain JSON")
                os.unlink(path)

    def test_many_broken_lines_are_counted(self):
        self.write(self.repo("pending.jsonl"), "{\n" * 10)
        found = self.findings()
        self.assertEqual(len(found), 4)
        self.assertIn("7 more", found[-1].what)

    def test_datasets_line_without_a_purpose(self):
        self.write(os.path.join(self.memsift_home, "datasets.md"), "# Datasets\n\n- team\n")
        self.assert_found("line 3", "what it is for")

    def test_notes_that_cannot_be_read(self):
        path = self.repo("draft.md")
        os.unlink(path)
        os.mkdir(path)
        self.assert_found("draft.md cannot be read", "plain file")

    def test_archive_that_is_corrupt(self):
        self.write(self.repo("archive.db"), b"this is no database at all" * 50)
        self.assert_found("archive", "reads back what it can")

    def test_files_that_were_set_aside(self):
        self.write(os.path.join(self.memsift_home, "state.json.broken"), "{")
        self.assert_found("state.json.broken was broken and has been set aside", "delete it")


class Machine(HealthyTest):
    def test_clock_that_was_set_back(self):
        self.see("s1", "claude-code", self.transcript, ago=-7200)
        self.assert_found("The clock was set back", "Set the clock")

    def test_clock_that_shows_the_past(self):
        found = [finding.what for finding in self.findings(now=1_000_000_000)]
        self.assertIn("The clock shows 2001-09-09.", found)

    def test_disk_that_is_nearly_full(self):
        usage = mock.Mock(free=1_000_000)
        with mock.patch("memsift.doctor.machine.shutil.disk_usage", return_value=usage):
            self.assert_found("Only 1 MB are free", "Free some space")

    def test_home_that_others_can_look_into(self):
        os.chmod(self.memsift_home, 0o755)
        self.assert_found("Others on this machine can look into", "chmod -R go=")

    def test_home_that_cannot_be_written(self):
        real = os.access
        with mock.patch("memsift.doctor.machine.os.access",
                        side_effect=lambda path, mode: path != self.memsift_home and real(path, mode)):
            self.assert_found("%s cannot be written" % self.memsift_home, "chmod u+rwx")

    def test_home_that_is_a_file(self):
        os.rename(self.memsift_home, self.memsift_home + "-elsewhere")
        self.write(self.memsift_home, "")
        self.assertIn("%s is no folder." % self.memsift_home, [finding.what for finding in self.findings()])

    def test_python_that_hooks_cannot_use(self):
        folder = os.path.join(self.folder, "bin")
        for script, what, do in (("echo 3.6.8", "is Python 3.6.8", "newer python3"), ("exit 49", "does not work", "working Python"),
                                 ("echo 3.12.1; exit 1", "lacks a part", "complete Python")):
            with self.subTest(script):
                self.write(os.path.join(folder, "python3"), "#!/bin/sh\n%s\n" % script, 0o755)
                self.assert_found(what, do, PATH=folder + os.pathsep + "/usr/bin:/bin")
        os.unlink(os.path.join(folder, "python3"))
        with mock.patch.dict(os.environ, PATH=folder):
            self.assert_found("no python3 on the PATH", "Install Python 3.9")

    def test_errors_and_hooks_that_ran_out_of_time_in_the_log(self):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.now - 60))
        line = "%s.000Z ERROR %%s\n" % stamp
        self.write(self.home.log, line % "hook prompt DeadlinePassed: 16.0 s")
        self.assert_found("1 hook ran out of time", "slow disk")
        self.write(self.home.log, line % "core-prompt archive: database is locked" * 3)
        self.assert_found("3 errors in the last day; the last: core-prompt archive", "debug.log")
        self.write(self.home.log, line % "core-prompt jev status=500 duration=0.1 oops" * 5)
        self.assertEqual(self.findings(), [])  # the service tells that itself

    def test_pause_of_a_service_that_is_not_set_any_more_is_none(self):
        Pauses(self.home.state).failed("jev", 401, "bad key")
        self.assertEqual(self.findings(), [])


class Words(unittest.TestCase):
    def test_spans_of_time(self):
        self.assertEqual([cases.ago(seconds) for seconds in (5, 60, 7200, 86400, 200_000)],
                         ["just now", "1 minute ago", "2 hours ago", "1 day ago", "2 days ago"])


if __name__ == "__main__":
    unittest.main()
