# SPDX-License-Identifier: Zlib
"""For contrib/test: every skipped test by name, and one line that counts."""


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    for report in stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line("skip: %s: %s" % (
            report.nodeid, reason.replace("Skipped: ", "", 1)))
    for report in stats.get("failed", []) + stats.get("error", []):
        terminalreporter.write_line("fail: " + report.nodeid)
    failed = {r.nodeid for r in stats.get("failed", []) + stats.get("error", [])}
    passed = {r.nodeid for r in stats.get("passed", [])} - failed
    terminalreporter.write_line("tally: %d passed, %d failed, %d skipped" % (
        len(passed), len(failed), len(stats.get("skipped", []))))
